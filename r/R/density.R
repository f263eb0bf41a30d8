#' Publish how columns are distributed
#'
#' A histogram with noise in every count. The number of bins is chosen privately, unless `bins` is one number.
#' [simulate()] draws synthetic rows from it, which costs nothing.
#'
#' @inheritParams private_glm
#' @param formula The columns to describe together, such as `~ age + ward`.
#' @param bins Numbers of bins to choose from, for columns of numbers. By default powers of two that suit the rows and
#'   the budget.
#' @param out The folder for `density.json` and its page; see [private_glm()].
#' @return A density of class `private_density`. [as.data.frame()] gives a line for each cell, and [plot()] draws one
#'   column.
#' @examples
#' \dontrun{
#' schema <- columns(age = number(18, 100))
#' ages <- private_density(~ age, patients, schema, account("patients", epsilon = 3), epsilon = 0.3)
#' plot(ages)
#' simulate(ages, 100)
#' }
#' @export
private_density <- function(formula, data, schema, account, epsilon = NULL, delta = NULL, rho = NULL, bins = NULL,
                            out = NULL, rows_changed = FALSE, second_account = FALSE, again = FALSE, reuse = FALSE,
                            seed = NULL) {
  if (!inherits(formula, "formula") || length(formula) != 2) fail("the formula has only a right side: ~ age + ward")
  described <- columns_of(formula, schema)
  names <- names(described)
  check_table(data, names)
  check_codes(data, categories_of(described))
  if (!is.null(bins) && !(is.numeric(bins) && length(bins) > 0 && all(is.finite(bins) & bins >= 1))) {
    fail("bins are whole numbers, not ", shown(bins))
  }
  # A study has an outcome, and a density does not look at it: any column that is not described will do.
  others <- setdiff(names(data), names)
  if (length(others) == 0) fail("the data frame needs one more column than the ones described")
  study <- study_lines(
    outcome = list(target = others[1], positive = "yes", negative = "any other"),
    account = account, spend = spending(account, epsilon, delta, rho), columns = described, dropped = others[-1]
  )
  flags <- c(
    consent_flags(rows_changed, second_account, again, reuse), seed_flag(seed), ledger_flag(account),
    rbind("--column", names), if (!is.null(bins)) c("--bins", paste(text_of(bins), collapse = ","))
  )
  run <- function(...) run_job("density", one_line(formula), study, data, names, c(flags, ...))
  released(release_folder(out, account, "density", seed), "density.json", seed, run)
}

#' @export
print.private_density <- function(x, ...) {
  no_others("print", ...)
  cat(statement(x), "\n\n", sep = "")
  cells <- as.data.frame(x)
  print(utils::head(cells, 20), digits = 4)
  if (nrow(cells) > 20) cat("and", nrow(cells) - 20, "more cells\n")
  invisible(x)
}

#' @export
as.data.frame.private_density <- function(x, row.names = NULL, optional = FALSE, ..., stringsAsFactors = FALSE) {
  no_others("as.data.frame", ...)
  columns <- x$content$columns
  names <- lapply(columns, function(column) {
    if (!is.null(column$names)) return(unlist(column$names))
    ends <- format(unlist(column$edges), trim = TRUE, digits = 6)
    paste(utils::head(ends, -1), "to", utils::tail(ends, -1))
  })
  names(names) <- vapply(columns, `[[`, "", "name")
  # The last column changes fastest in the file, and the first one in expand.grid.
  cells <- rev(expand.grid(rev(names), stringsAsFactors = stringsAsFactors))
  names(cells) <- names(names)
  cells$probability <- unlist(x$content$density$probabilities)
  if (!is.null(row.names)) row.names(cells) <- row.names
  cells
}

#' @export
plot.private_density <- function(x, ...) {
  is_numeric <- is.null(x$content$columns[[1]]$names)
  check_graphics(..., of = if (is_numeric) graphics::plot.default else utils::getS3method("barplot", "default"))
  if (length(x$content$columns) > 1) fail("only one column can be drawn here; the page has the picture: ", x$report)
  column <- x$content$columns[[1]]
  share <- unlist(x$content$density$probabilities)
  if (!is.null(column$names)) {
    graphics::barplot(share, names.arg = unlist(column$names), ylab = "share", ...)
    return(invisible(x))
  }
  ends <- unlist(column$edges)
  height <- share / diff(ends)
  graphics::plot.default(range(ends), c(0, max(height)), type = "n", xlab = column$name, ylab = "density", ...)
  graphics::rect(utils::head(ends, -1), 0, utils::tail(ends, -1), height, col = "grey")
  invisible(x)
}

#' Draw synthetic rows from a private density
#'
#' @param object A density of [private_density()].
#' @param nsim How many rows.
#' @param seed A number, to draw the same rows each time.
#' @param ... Anything else is refused.
#' @return A data frame with the density's columns. A density that was made with `seed` is not private, and neither are
#'   its rows: one more column, `NOT PRIVATE`, is `TRUE` in each of them.
#' @importFrom stats simulate
#' @export
simulate.private_density <- function(object, nsim = 1, seed = NULL, ...) {
  no_others("simulate", ...)
  check_number("nsim", nsim, above = 0)
  folder <- private_folder()
  on.exit(unlink(folder, recursive = TRUE))
  write_owner_only(object$json, file.path(folder, "density.json"))
  args <- c("sample", "density.json", "--rows", format(nsim, scientific = FALSE), seed_flag(seed))
  categories <- Filter(function(column) !is.null(column$names), object$content$columns)
  read_csv(run_program(args, folder), character = vapply(categories, `[[`, "", "name"))
}
