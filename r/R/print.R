#' @export
print.private_glm <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  no_others("print", ...)
  cat(statement(x), "\n\n", sep = "")
  if (!is.null(x$formula)) cat("Formula: ", one_line(x$formula), "\n", sep = "")
  cat("Coefficients:\n")
  print(coef(x), digits = digits)
  invisible(x)
}

#' @export
summary.private_glm <- function(object, ...) {
  no_others("summary", ...)
  structure(list(model = object, table = coefficient_table(object)), class = "summary.private_glm")
}

#' @export
print.summary.private_glm <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  no_others("print", ...)
  content <- x$model$content
  training <- content$training
  cat(statement(x$model), "\n\n", sep = "")
  if (!is.null(x$model$formula)) cat("Formula: ", one_line(x$model$formula), "\n", sep = "")
  cat(training$rows, " rows, ", training$loss, " loss, lambda = ", format(training$lambda, digits = 4), "\n", sep = "")
  paid <- content$ledger
  if (!is.null(paid)) cat("Paid by account '", paid$account, "', charge ", paid$charge, "\n", sep = "")
  table <- x$table
  shown <- data.frame(Estimate = table$estimate, row.names = line_names(table))
  if (!is.null(content$intervals)) {
    parts <- table[c("sampling", "privacy", "bias")]
    names(parts) <- c("(sampling)", "(privacy)", "(bound)")
    # Where a declared bound is a part of the width, its three shares, by their squares.
    if (all(is.na(table$bias))) parts <- parts[1:2] else parts <- lapply(parts^2 / rowSums(parts^2), percent_of)
    shown <- cbind(shown, `Std. Error` = table$std.error)
    if (is.null(table$y.level)) shown[names(parts)] <- parts
    shown <- cbind(shown, Lower = table$conf.low, Upper = table$conf.high, p = table$p.value)
    shown$p <- ifelse(is.na(shown$p), NA, format.pval(shown$p, digits = 2, eps = 0.001))
  }
  print_findings(content$intervals)
  cat("\nCoefficients, categories compared with the first of their column:\n")
  print(shown, digits = digits)
  if (!is.null(content$intervals)) {
    cat("\n", 100 * content$intervals$level, " % intervals, for ", content$intervals$covers, "\n", sep = "")
  }
  cat("Report: ", x$model$report, "\n", sep = "")
  invisible(x)
}

percent_of <- function(share) ifelse(is.na(share), NA, paste(round(100 * share), "%"))

# The effects by what their intervals say of them.
print_findings <- function(intervals) {
  found <- intervals$findings
  if (is.null(found)) return(invisible())
  names_of <- function(names) if (length(names) == 0) "none" else paste(unlist(names), collapse = ", ")
  cat("Told from 0: ", names_of(found$told_from_zero), "\n", sep = "")
  if (length(found$not_estimable) > 0) {
    cat("Not estimable, only the declared bound speaks: ", names_of(found$not_estimable), "\n", sep = "")
  }
  for (pair in found$same) cat("The same, without intervals: ", paste(unlist(pair), collapse = " and "), "\n", sep = "")
  if (!is.null(intervals$rough)) cat("Rough: ", intervals$rough, "\n", sep = "")
}

#' Plot the effects of a private model
#'
#' Effects on the scale of the log odds, with their intervals: of a category, its difference from the first of its
#' column; of a number, the change from the middle of its range to its end. So they can be compared.
#'
#' @param x A model of [private_glm()].
#' @param ... For [graphics::plot.default()].
#' @return The effects, invisibly: a data frame.
#' @export
plot.private_glm <- function(x, ...) {
  check_graphics(..., of = graphics::plot.default)
  with_effect <- Filter(function(each) !is.null(each$effect), with_estimates(x))
  if (length(with_effect) == 0) fail("this model has no effects to plot")
  reference <- x$content$intervals$reference
  if (!is.null(reference)) with_effect <- Filter(function(each) !is.null(each$effect$interval), with_effect)
  named <- function(each) if (is.null(each$class)) each$name else paste(each$class, each$name, sep = ":")
  lines <- lapply(with_effect, function(each) coefficient_line(named(each), each$effect$value, each$effect$interval))
  table <- do.call(rbind, lines)
  height <- rev(seq_len(nrow(table)))
  reach <- range(0, table$estimate, table$conf.low, table$conf.high, na.rm = TRUE)
  space <- graphics::par(mar = c(4, 2 + 0.5 * max(nchar(table$term)), 1, 1))
  on.exit(graphics::par(space))
  plot_default(table$estimate, height, xlim = reach, ylim = c(0.5, nrow(table) + 0.5), yaxt = "n", pch = 19,
               xlab = "effect on the log odds", ylab = "", ...)
  graphics::abline(v = 0, lty = 3)
  graphics::segments(table$conf.low, height, table$conf.high, height)
  graphics::axis(2, height, table$term, las = 1, tick = FALSE)
  invisible(table)
}

# Refuses what is neither an argument of a function that draws nor a graphical parameter.
check_graphics <- function(..., of) {
  given <- given_names(...)
  if (length(given) > 0) check_known("plot", given, c(names(formals(of)), names(graphics::par(no.readonly = FALSE))))
}

plot_default <- function(x, y, ..., main = "") graphics::plot.default(x, y, main = main, ...)
