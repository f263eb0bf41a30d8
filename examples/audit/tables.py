"""Two neighbouring tables: one row as long as it may be, or 0; every other row is 0. Writes long-row.csv, no-row.csv."""

import sys

length = float(sys.argv[1])
for name, first in [("long-row.csv", length), ("no-row.csv", 0.0)]:
    with open(name, "w") as out:
        out.write("x,y\n")
        out.write(f"{first},1\n")
        for i in range(19):
            out.write(f"0,{i % 2}\n")
