#!/bin/sh
# A learner for `[vote]` in a few lines of awk: a query is of the class whose mean is nearest.
#
#     [vote]
#     queries = 1000
#     learner = { command = ["./nearest_mean.sh"] }
#
# Numbers only, each divided by its standard deviation within the chunk; other columns are passed over, and fields must
# have no commas in them. The protocol is in docs/learners.md.
set -eu

train() { # ROWS MODEL SEED
    LC_ALL=C awk -F, -v OFS='\t' '
        NR == 1 { next }
        {
            class = $NF
            if (!(class in seen)) { seen[class] = 1; classes[++many] = class }
            for (j = 1; j < NF; j++) if ($j ~ /^-?[0-9.]+$/) {
                sum[class, j] += $j; count[class, j]++
                all[j] += $j; square[j] += $j * $j; rows[j]++
            }
            if (NF > width) width = NF
        }
        END {
            for (j = 1; j < width; j++) if (rows[j]) {
                mean = all[j] / rows[j]
                variance = square[j] / rows[j] - mean * mean
                if (variance <= 0) continue
                for (i = 1; i <= many; i++) if (count[classes[i], j])
                    print classes[i], j, sum[classes[i], j] / count[classes[i], j], sqrt(variance)
            }
            # A class without numbers, or a chunk of one class, still has a name.
            for (i = 1; i <= many; i++) print classes[i], 0, 0, 1
        }' "$1" > "$2"
}

predict() { # MODEL QUERIES OUT
    LC_ALL=C awk -v queries="$2" '
        BEGIN { FS = "\t" }
        { if (!($1 in seen)) { seen[$1] = 1; classes[++many] = $1 } mean[$1, $2] = $3; deviation[$2] = $4 }
        END {
            FS = ","
            if ((getline line < queries) <= 0) exit 1
            while ((getline line < queries) > 0) {
                width = split(line, field, ",")
                best = ""
                for (i = 1; i <= many; i++) {
                    distance = 0
                    for (j = 1; j <= width; j++) if ((classes[i], j) in mean && field[j] ~ /^-?[0-9.]+$/)
                        distance += ((field[j] - mean[classes[i], j]) / deviation[j]) ^ 2
                    if (best == "" || distance < nearest) { best = classes[i]; nearest = distance }
                }
                print best
            }
        }' "$1" > "$3"
}

case "${DISCRETION_ANSWERS:-classes}" in
    classes) ;;
    *) echo "nearest_mean.sh gives classes, not scores" >&2; exit 2 ;;
esac
step=$1
shift
"$step" "$@"
