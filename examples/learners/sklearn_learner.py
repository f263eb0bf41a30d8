#!/usr/bin/env python3
"""Any scikit-learn classifier as a learner for [vote].

    [vote]
    queries = 1000
    learner = { command = ["python3", "sklearn_learner.py"], processes = "shared" }

Change `classifier` below. Needs scikit-learn and pandas. The protocol is in docs/learners.md.
"""

import os
import pickle
import sys


def classifier(seed):
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(n_estimators=50, random_state=seed)


def table(path, labelled):
    import pandas

    # Only an empty field is missing: "NA" may be a category.
    types = {os.environ["DISCRETION_TARGET"]: str} if labelled else None
    return pandas.read_csv(path, keep_default_na=False, na_values=[""], dtype=types)


def train(rows, model, seed):
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    data = table(rows, labelled=True)
    labels = data.pop(os.environ["DISCRETION_TARGET"])
    numbers = list(data.select_dtypes("number"))
    texts = [name for name in data.columns if name not in numbers]
    # Everything is fitted within the chunk, the encoding too.
    encoding = ColumnTransformer([
        ("numbers", SimpleImputer(keep_empty_features=True), numbers),
        ("texts", OneHotEncoder(handle_unknown="ignore"), texts),
    ])
    fitted = make_pipeline(encoding, classifier(seed)).fit(data, labels)
    with open(model, "wb") as out:
        pickle.dump((numbers, fitted), out)


def predict(model, queries, answers):
    import pandas

    with open(model, "rb") as file:
        numbers, fitted = pickle.load(file)
    data = table(queries, labelled=False)
    for name in data.columns:
        # A column that had no numbers in the chunk may have some now, and the other way round.
        data[name] = pandas.to_numeric(data[name], errors="coerce") if name in numbers else data[name].astype(object)
    if os.environ["DISCRETION_ANSWERS"] == "scores":
        second = os.environ["DISCRETION_CLASSES"].split("\n")[1]
        known = list(fitted.classes_)
        shares = fitted.predict_proba(data)
        lines = [repr(float(row[known.index(second)])) if second in known else "0" for row in shares]
    else:
        lines = list(fitted.predict(data))
    with open(answers, "w", encoding="utf-8", newline="\n") as out:
        out.writelines(f"{line}\n" for line in lines)


def do(step, first, second, third):
    if step == "train":
        train(first, second, int(third))
    elif step == "predict":
        predict(first, second, third)
    else:
        raise ValueError(f"unknown step {step!r}")


def serve():
    for line in sys.stdin:
        *request, number = line.rstrip("\n").split("\t")
        try:
            do(*request)
        except Exception as problem:  # one chunk's problem, whatever it is
            # Cut: a line of more than 64 KiB counts as none.
            print("failed", number, " ".join(str(problem).split())[:1000], flush=True)
        else:
            print("ok", number, flush=True)


if __name__ == "__main__":
    serve() if sys.argv[1] == "serve" else do(*sys.argv[1:])
