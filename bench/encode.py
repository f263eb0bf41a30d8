"""The encoder of a study file, in Python: the same numbers that `discretion fit` trains on.

    from encode import Encoder, coefficients
    encoder = Encoder("WORK_DIR/adult/study.toml")
    X, y = encoder.read("WORK_DIR/adult/test.csv")     # float32 rows of norm at most 1; labels -1 and +1
    scores = X @ coefficients("OUT/model.json", encoder.names)

Columns of X: intercept, numeric columns, category blocks, each in the order of the study file. With m = used columns + 1 every
column is bounded by c = (1 - 2^-20)/sqrt(m), so that a row's length is at most 1 whatever the data are. Under norm = "row" c is 1
and each row is then divided by its own length (float64 rows).
"""

import json
import pathlib
import tomllib

import numpy as np
import pandas as pd

SHRINK = 1 - 2.0**-20  # keeps the float32 row inside the unit ball


class Encoder:
    def __init__(self, study):
        """`study` is the path of a study file, or its parsed contents."""
        if not isinstance(study, dict):
            study = tomllib.loads(pathlib.Path(study).read_text(encoding="utf-8"))
        self.study = study
        self.norm = study.get("model", {}).get("norm", "scale")
        used = {name: column for name, column in study["columns"].items() if not column.get("drop")}
        self.numeric = {name: column for name, column in used.items() if "min" in column}
        self.categories = {name: column["values"] for name, column in used.items() if "values" in column}
        self.indicators = {name: column["one_of"] for name, column in used.items() if "one_of" in column}
        self.categories |= self.indicators
        self.c = np.float32(1 if self.norm == "row" else SHRINK / np.sqrt(len(used) + 1))
        self.names = (
            ["(intercept)"]
            + list(self.numeric)
            + [f"{name}={value}" for name, values in self.categories.items() for value in values]
        )

    def read(self, path):
        """Encoded rows and labels of a CSV file."""
        data = self.study["data"]
        frame = pd.read_csv(
            path,
            usecols=[data["target"], *self.numeric, *self.texts()],
            dtype={name: str for name in [data["target"], *self.texts()]},
            keep_default_na=False,
            na_values={name: [""] for name in self.numeric},
        )
        positive = data["positive"] if isinstance(data["positive"], list) else [data["positive"]]
        return self.encode(frame), np.where(frame[data["target"]].isin(positive), 1.0, -1.0)

    def texts(self):
        """The columns that are read as texts: categories, and indicators of categories."""
        return [column for name in self.categories for column in self.indicators.get(name, [name])]

    def encode(self, frame):
        """Encoded rows of a data frame: numbers with NaN for missing, categories as text."""
        X = np.zeros((len(frame), len(self.names)), dtype=np.float32)
        X[:, 0] = self.c
        at = 1
        for name, column in self.numeric.items():
            X[:, at] = self.encode_numeric(frame[name].to_numpy(dtype=np.float64), column)
            at += 1
        for name, values in self.categories.items():
            if name in self.indicators:
                ones = frame[values].to_numpy() == "1"
                codes = np.where(ones.sum(axis=1) == 1, ones.argmax(axis=1), -1)
            else:
                codes = pd.Index(values).get_indexer(frame[name])
            known = np.flatnonzero(codes >= 0)
            X[known, at + codes[known]] = self.c
            at += len(values)
        if self.norm == "row":
            X = X.astype(np.float64)
            X *= (SHRINK / np.linalg.norm(X, axis=1, keepdims=True)).astype(np.float32)
        return X

    def encode_numeric(self, v, column):
        """[min, max] to [-c, c], on a linear or a log scale; a missing number is the declared one, else the middle."""
        low, high, c = float(column["min"]), float(column["max"]), float(self.c)
        missing = np.isnan(v)
        v = np.clip(np.where(missing, column.get("missing", low), v), low, high)
        if column.get("scale") == "log":
            x = 2 * c / np.log1p(high - low) * np.log1p(v - low) - c
        else:
            x = c / ((high - low) / 2) * (v - (low / 2 + high / 2))
        if "missing" not in column:
            x = np.where(missing, 0.0, x)
        return np.clip(x.astype(np.float32), -self.c, self.c)


def coefficients(model_file, names):
    """The coefficients of a model file on the encoded scale, in the order of an encoder's `names`."""
    model = json.loads(pathlib.Path(model_file).read_text(encoding="utf-8"))
    table = {row["name"]: row["encoded"] for row in model["coefficients"]}
    if set(table) != set(names):
        raise ValueError(f"{model_file} and the study name different columns: {sorted(set(table) ^ set(names))[:5]}")
    return np.array([table[name] for name in names])
