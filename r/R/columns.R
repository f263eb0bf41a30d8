#' What is public about a table
#'
#' Every column that a model uses has public bounds or a public list of values. They are published with the model, so
#' take them from the data dictionary or from common knowledge, never from the rows: `number(min(x), max(x))` would
#' publish two people's values.
#'
#' - A number outside its bounds is clipped to them. A category that is not listed, or is `NA`, is "other".
#' - An `NA` in a column of numbers counts as `missing`. Without `missing` the program decides, and newer versions
#'   refuse the run: say what it should count as.
#' - The first value of a category is the one that others are compared with, so list the usual one first.
#'
#' @param ... One [number()] or [category()] for each column, by the column's name.
#' @param min,max The ends of the range.
#' @param scale `"log"` for a number with a long tail: it is taken as ln(1 + value - min).
#' @param missing The number that a missing value counts as, within the range.
#' @param values The values that the column can take.
#' @return A schema, for [private_glm()], [plan()] and [private_density()].
#' @examples
#' columns(
#'   age    = number(18, 100),
#'   income = number(0, 1e6, scale = "log", missing = 20000),
#'   ward   = category(c("surgery", "cardiology", "oncology"))
#' )
#' @export
columns <- function(...) {
  given <- list(...)
  names <- names(given)
  if (length(given) == 0) fail("a schema needs columns: columns(age = number(18, 100))")
  if (is.null(names) || any(names == "")) fail("every column of a schema has a name: columns(age = number(18, 100))")
  if (anyDuplicated(names)) fail("the schema has two columns '", names[anyDuplicated(names)], "'")
  known <- vapply(given, inherits, TRUE, "discretion_column")
  if (!all(known)) {
    name <- names[!known][1]
    fail("column '", name, "' is neither a number nor a category: write ", name, " = number(min, max) or ",
         name, " = category(values)")
  }
  structure(given, class = "discretion_columns")
}

#' @rdname columns
#' @export
number <- function(min, max, scale = c("linear", "log"), missing = NULL) {
  scale <- one_of("scale", scale, c("linear", "log"))
  check_number("min", min)
  check_number("max", max)
  if (min >= max) fail("min = ", text_of(min), " is not below max = ", text_of(max))
  if (!is.null(missing)) {
    check_number("missing", missing)
    if (missing < min || missing > max) {
      fail("missing = ", text_of(missing), " is not between ", text_of(min), " and ", text_of(max))
    }
  }
  column <- list(kind = "number", min = min, max = max, scale = scale, missing = missing)
  structure(column, class = "discretion_column")
}

#' @rdname columns
#' @export
category <- function(values) {
  if (!is_plain(values) || length(values) == 0) {
    fail("the values of a category are texts or numbers: category(c(\"no\", \"yes\"))")
  }
  if (is_inexact(values)) fail("so large, several whole numbers are the same one in R: write codes of 2^53 or more as texts")
  values <- text_of(values)
  if (anyNA(values)) fail("NA is no category: a missing value is \"other\" without being listed")
  if (anyDuplicated(values)) fail("the category lists '", values[anyDuplicated(values)], "' twice")
  structure(list(kind = "category", values = values), class = "discretion_column")
}

categories_of <- function(columns) names(Filter(function(column) column$kind == "category", columns))

#' @export
print.discretion_columns <- function(x, ...) {
  no_others("print", ...)
  for (name in names(x)) cat(name, ": ", format(x[[name]]), "\n", sep = "")
  invisible(x)
}

#' @export
print.discretion_column <- function(x, ...) {
  no_others("print", ...)
  cat(format(x), "\n", sep = "")
  invisible(x)
}

#' @export
format.discretion_column <- function(x, ...) {
  no_others("format", ...)
  if (x$kind == "category") return(paste(x$values, collapse = ", "))
  log <- if (x$scale == "log") ", on the log scale"
  missing <- if (!is.null(x$missing)) paste0(", missing counts as ", text_of(x$missing))
  paste0(text_of(x$min), " to ", text_of(x$max), log, missing)
}
