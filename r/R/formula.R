# A formula names an outcome and columns; nothing is computed in it, because bounds are of columns.

outcome_of <- function(formula) {
  if (!inherits(formula, "formula") || length(formula) != 3) {
    fail("the formula has an outcome on its left: readmitted ~ age + ward")
  }
  if (!is.name(formula[[2]])) {
    fail("the outcome is the name of a column, not ", shown(formula[[2]]),
         "; say which of its values count with positive = and negative =")
  }
  outcome <- as.character(formula[[2]])
  if (outcome == ".") fail("the outcome is the name of a column, not `.`")
  outcome
}

# The columns on the right, each with its line of the schema; `.` stands for all of the schema.
columns_of <- function(formula, schema, outcome = NULL) {
  check_class("schema", schema, "discretion_columns", "columns(age = number(18, 100), ...)")
  schema <- unclass(schema)[setdiff(names(schema), outcome)]
  known <- as.data.frame(lapply(schema, function(column) numeric()), optional = TRUE)
  names(known) <- names(schema)
  terms <- tryCatch(stats::terms(formula, data = known), error = function(error) fail(conditionMessage(error)))
  if (attr(terms, "intercept") == 0) fail("a model without an intercept is not supported: leave out `- 1` or `+ 0`")
  if (!is.null(attr(terms, "offset"))) fail("offsets are not supported")
  labels <- attr(terms, "term.labels")
  if (length(labels) == 0) fail("the formula names no column on its right")
  used <- vapply(labels, column_name, "", USE.NAMES = FALSE)
  if (any(used %in% outcome)) fail("the outcome is also on the right of the formula")
  unknown <- setdiff(used, names(schema))
  if (length(unknown) > 0) {
    name <- unknown[1]
    fail("column '", name, "' is in the formula and not in the schema: add ", name, " = number(min, max) or ",
         name, " = category(values)")
  }
  schema[used]
}

column_name <- function(label) {
  term <- str2lang(label)
  if (is.name(term)) return(as.character(term))
  advice <- if (is.call(term) && identical(term[[1]], quote(log))) {
    "; for a logarithm, write number(min, max, scale = \"log\") in the schema"
  } else {
    "; make a column of it first, with bounds of its own in the schema"
  }
  fail("'", label, "' is computed, and only columns of the table can be used", advice)
}
