"""examples/learners/sklearn_learner.py by the protocol of docs/learners.md, started once a step and kept running."""

import csv
import functools
import os
import pathlib
import random
import subprocess
import sys

import pytest

LEARNER = pathlib.Path(__file__).resolve().parents[2] / "examples" / "learners" / "sklearn_learner.py"


def environment(answers):
    return os.environ | {
        "DISCRETION_ANSWERS": answers,
        "DISCRETION_TARGET": "outcome",
        "DISCRETION_CLASSES": "no\nyes",
    }


def write(path, rows, labelled=True, only=None):
    generator = random.Random(len(rows))
    truth = []
    with open(path, "w", newline="") as out:
        lines = csv.writer(out, lineterminator="\n")
        lines.writerow(["age", "city", "empty"] + ["outcome"] * labelled)
        for _ in rows:
            age, city = generator.uniform(18, 90), generator.choice(["Paris, France", "NA", ""])
            label = only or ("yes" if age > 54 else "no")
            shown = "" if generator.random() < 0.05 else round(age, 2)
            lines.writerow([shown, city, ""] + [label] * labelled)
            truth.append(label if shown != "" else None)
    return truth


def numbers(requests):
    """Not from 1 on: a learner repeats them, and does not count."""
    return [71 + 10 * place for place in range(len(requests))]


def steps(answers, requests, shared):
    if not shared:
        for request in requests:
            subprocess.run([sys.executable, LEARNER, *map(str, request)], env=environment(answers), check=True)
        return [f"ok {number}" for number in numbers(requests)]
    numbered = [(*request, number) for request, number in zip(requests, numbers(requests), strict=True)]
    lines = "".join("\t".join(map(str, request)) + "\n" for request in numbered)
    done = subprocess.run(
        [sys.executable, LEARNER, "serve"], input=lines, env=environment(answers), check=True, capture_output=True, text=True
    )
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def answered(tmp_path_factory):
    """The classes and the scores of a way to start the learner, and the truth. Asked once: every start imports scikit-learn."""

    @functools.cache
    def answered(shared):
        folder = tmp_path_factory.mktemp("learner")
        write(folder / "rows.csv", range(150))
        truth = write(folder / "queries.csv", range(200), labelled=False)
        requests = [
            ("train", folder / "rows.csv", folder / "model", 3),
            ("predict", folder / "model", folder / "queries.csv", folder / "answers"),
        ]
        told = []
        for answers in ["classes", "scores"]:
            assert steps(answers, requests, shared) == ["ok 71", "ok 81"]
            told.append((folder / "answers").read_text().splitlines())
        return *told, truth

    return answered


@pytest.mark.parametrize("shared", [False, True])
def test_classes_and_scores(answered, shared):
    classes, scores, truth = answered(shared)
    known = [(found, true) for found, true in zip(classes, truth, strict=True) if true]
    assert sum(found == true for found, true in known) >= 0.9 * len(known)

    scores = [float(line) for line in scores]
    assert all(0 <= score <= 1 for score in scores)
    agree = [(score > 0.5) == (found == "yes") for score, found in zip(scores, classes, strict=True) if score != 0.5]
    assert all(agree)


def test_both_ways_give_the_same_answers(answered):
    assert answered(True)[:2] == answered(False)[:2]


def test_one_class_and_failures(tmp_path):
    write(tmp_path / "rows.csv", range(20), only="no")
    write(tmp_path / "queries.csv", range(5), labelled=False)
    requests = [
        ("train", tmp_path / "rows.csv", tmp_path / "model", 1),
        ("predict", tmp_path / "model", tmp_path / "queries.csv", tmp_path / "answers"),
        ("predict", tmp_path / "nothing", tmp_path / "queries.csv", tmp_path / "answers"),
        ("dance", "a" * 100_000, "b", "c"),
        ("dance" * 100_000, "a", "b", "c"),
    ]
    said = steps("scores", requests, shared=True)
    assert said[:2] == ["ok 71", "ok 81"] and len(said) == 5
    assert all(line.startswith(f"failed {number} ") for line, number in zip(said[2:], [91, 101, 111], strict=True))
    assert all(len(line) < 1 << 16 for line in said), "longer lines count as none"
    assert [float(line) for line in (tmp_path / "answers").read_text().splitlines()] == [0] * 5


def test_a_query_without_any_value_is_a_query(tmp_path):
    (tmp_path / "rows.csv").write_text("age,outcome\n1,no\n,no\n9,yes\n8,yes\n")
    # As they are written: a blank line would be passed over.
    (tmp_path / "queries.csv").write_text('age\n1\n""\n9\n')
    requests = [
        ("train", tmp_path / "rows.csv", tmp_path / "model", 1),
        ("predict", tmp_path / "model", tmp_path / "queries.csv", tmp_path / "answers"),
    ]
    assert steps("classes", requests, shared=True) == ["ok 71", "ok 81"]
    assert len((tmp_path / "answers").read_text().splitlines()) == 3
