# R's glm, from CSV to model: what an R user would write for the same study. run.py writes the columns for it, a line each:
#
#     Rscript bench/glm.R WORK_DIR/adult/train.csv WORK_DIR/adult/columns.tsv
#     {"peer": "glm", "work_seconds": 2.1, "work_cpu_seconds": 2.0, "rows": 32561, "columns": 104, "iterations": 8}
#
# glm knows no lambda, so its model is the one without a penalty. Base R only.

start <- proc.time()
arguments <- commandArgs(trailingOnly = TRUE)
declared <- strsplit(readLines(arguments[2], encoding = "UTF-8"), "\t", fixed = TRUE)
kind <- vapply(declared, `[`, "", 1)
name <- vapply(declared, `[`, "", 2)

header <- scan(arguments[1], what = "", sep = ",", nlines = 1, quiet = TRUE)
classes <- setNames(rep("NULL", length(header)), header)
classes[name] <- ifelse(kind == "number", "numeric", "character")
table <- read.csv(arguments[1], colClasses = classes, check.names = FALSE, na.strings = "", strip.white = TRUE)
table <- table[name]

# Numbers are clipped and scaled to their declared bounds, and missing ones are the middle; of a category every declared value has a
# coefficient, and others have none.
for (column in declared) {
  values <- table[[column[2]]]
  if (column[1] == "number") {
    low <- as.numeric(column[3])
    width <- as.numeric(column[4]) - low
    values <- pmin(pmax(values - low, 0), width)
    if (column[5] == "log") {
      values <- log1p(values)
      width <- log1p(width)
    }
    values <- 2 * values / width - 1
    values[is.na(values)] <- 0
  } else if (column[1] == "category") {
    known <- column[-(1:2)]
    values[is.na(values) | !(values %in% known)] <- "\001other"
    values <- factor(values, levels = c("\001other", known))
  } else {
    values <- values == column[3]
  }
  table[[column[2]]] <- values
}
names(table) <- ifelse(kind == "target", "target", paste0("x", seq_along(name)))
# A factor of which only one level occurs cannot be part of a formula.
table <- table[vapply(table, function(values) !is.factor(values) || length(unique(values)) > 1, TRUE)]

model <- suppressWarnings(glm(target ~ ., family = binomial(), data = table, model = FALSE, x = FALSE, y = FALSE))
took <- proc.time() - start
cat(sprintf(
  '{"peer": "glm", "work_seconds": %.3f, "work_cpu_seconds": %.3f, "rows": %d, "columns": %d, "iterations": %d}\n',
  took[["elapsed"]], took[["user.self"]] + took[["sys.self"]], nrow(table), length(coef(model)) - 1L, model$iter
))
