#' Coefficients and intervals of a private model
#'
#' Coefficients are in the units of their columns. With `contrasts = TRUE` they are as `glm()` gives them: a category is
#' compared with the first of its column, and the intercept is for those first categories. With `contrasts = FALSE`
#' they are as the model has them, one for every category, and the intercept is for "other".
#'
#' `coef()` has the coefficients that were trained: [predict()] uses these.
#'
#' Intervals allow for sampling and for the noise of privacy, and cover the coefficients of the whole population. `lambda`
#' makes the trained coefficients smaller. In a model with intervals, `tidy()`, `summary()` and `plot()` give the estimates
#' that the intervals are around: there, what `lambda` took is given back. `coef(trained = FALSE)` gives these estimates
#' too; predictions are not made of them. The file has no interval for an intercept that was moved to the first
#' categories: it is `NA`. The level was fixed when the model was fitted.
#'
#' A model of several classes, made by the command line or from Python and read with [read_release()], has lines for each
#' class: `tidy()` names it in `y.level`, the others in front of the term. `coef()` has the coefficients of every class. With
#' intervals the others compare each class with the reference, which has no lines, and so does `coef(trained = FALSE)`.
#'
#' @param object,x A model of [private_glm()].
#' @param contrasts Whether categories are compared with the first of their column.
#' @param trained Whether to give the coefficients that predictions are made of, or the estimates beside intervals.
#' @param parm Names or numbers of coefficients; all of them if left out.
#' @param level,conf.level The level that the model has; another one is refused.
#' @param conf.int Whether to give `conf.low` and `conf.high`.
#' @param exponentiate Whether to give odds ratios.
#' @param ... Anything else is refused.
#' @return `coef()`: a named vector. `confint()`: a matrix. `tidy()`: a data frame with `term`, `estimate`, `std.error`,
#'   `p.value`, `conf.low`, `conf.high`; without intervals in the model these are `NA`. `std.error` is of the estimate,
#'   also with `exponentiate`. `glance()`: one line about the whole model.
#' @name coef.private_glm
#' @aliases tidy glance
NULL

# A line for each coefficient, in the model's order. Of several classes each has its own, in `y.level`.
coefficient_table <- function(model, contrasts = TRUE, trained = FALSE) {
  check_flag("contrasts", contrasts)
  check_flag("trained", trained)
  coefficients <- with_estimates(model)
  if (is.null(coefficients[[1]]$class)) return(table_of(coefficients, contrasts, trained))
  of <- vapply(coefficients, function(each) each$class, "")
  # Beside intervals each class is compared with the reference, which itself has no lines.
  reference <- if (trained) NULL else model$content$intervals$reference
  tables <- lapply(setdiff(unique(of), reference), function(class) {
    table <- table_of(coefficients[of == class], contrasts, trained)
    if (!is.null(reference)) table <- table[table$compared, ]
    cbind(y.level = rep(class, nrow(table)), table)
  })
  table <- do.call(rbind, tables)
  row.names(table) <- NULL
  table
}

# The same of one class, or of the only one.
table_of <- function(coefficients, contrasts, trained) {
  if (trained) coefficients <- lapply(coefficients, as_trained)
  # Every coefficient has an effect, but for the intercept and the categories that others are compared with.
  first <- vapply(coefficients, function(each) is.null(each$effect), TRUE) & seq_along(coefficients) > 1
  in_units <- !is.null(coefficients[[1]]$per_unit)
  lines <- lapply(seq_along(coefficients), function(i) {
    each <- coefficients[[i]]
    if (!in_units) return(coefficient_line(each$name, each$encoded, each$interval))
    if (contrasts && !is.null(each$effect$against)) {
      return(coefficient_line(each$name, each$effect$value, each$effect$interval))
    }
    coefficient_line(each$of, each$per_unit, each$per_unit_interval)
  })
  table <- do.call(rbind, lines)
  table$term[1] <- "(Intercept)"
  if (contrasts && in_units && any(first)) {
    table$estimate[1] <- table$estimate[1] + sum(table$estimate[first])
    table$compared[1] <- table$compared[1] && all(table$compared[first])
    table[1, c("std.error", "p.value", "conf.low", "conf.high", "sampling", "privacy", "bias")] <- NA
    table <- table[!first, ]
  }
  row.names(table) <- NULL
  table
}

# What a line is called where only one name fits.
line_names <- function(table) {
  if (is.null(table$y.level)) table$term else paste(table$y.level, table$term, sep = ":")
}

# The coefficients, without an estimate where only the declared bound speaks.
with_estimates <- function(model) {
  unknown <- unlist(model$content$intervals$findings$not_estimable)
  lapply(model$content$coefficients, function(each) {
    if (each$name %in% unknown) {
      each$interval$estimate <- each$per_unit_interval$estimate <- each$effect$interval$estimate <- NA_real_
    }
    each
  })
}

as_trained <- function(each) {
  each$interval$estimate <- each$per_unit_interval$estimate <- each$effect$interval$estimate <- NULL
  each
}

# Beside an interval stands the estimate with what lambda takes from it given back. Of several classes the deviation is one: what of
# it is noise is not known.
coefficient_line <- function(term, value, interval) {
  get <- function(name) if (is.null(interval[[name]])) NA_real_ else interval[[name]]
  sampling <- get("sampling_deviation")
  privacy <- get("privacy_deviation")
  both <- if (is.null(interval$deviation)) sqrt(sampling^2 + privacy^2) else interval$deviation
  data.frame(
    term = term, estimate = if (is.null(interval$estimate)) value else interval$estimate, std.error = both,
    p.value = get("p_value"), conf.low = get("lower"), conf.high = get("upper"), sampling = sampling, privacy = privacy,
    bias = get("largest_bias"),
    compared = !is.null(interval$lower)
  )
}

#' @rdname coef.private_glm
#' @importFrom stats coef
#' @export
coef.private_glm <- function(object, contrasts = TRUE, trained = TRUE, ...) {
  no_others("coef", ...)
  table <- coefficient_table(object, contrasts, trained)
  stats::setNames(table$estimate, line_names(table))
}

#' @rdname coef.private_glm
#' @importFrom stats confint
#' @export
confint.private_glm <- function(object, parm, level = NULL, contrasts = TRUE, ...) {
  no_others("confint", ...)
  level <- level_of(object, level)
  table <- coefficient_table(object, contrasts)
  names <- paste(format(100 * c((1 - level) / 2, (1 + level) / 2), trim = TRUE, digits = 3), "%")
  all <- matrix(c(table$conf.low, table$conf.high), ncol = 2, dimnames = list(line_names(table), names))
  if (missing(parm)) all else all[parm, , drop = FALSE]
}

# The level of a model's intervals.
level_of <- function(model, asked = NULL) {
  level <- model$content$intervals$level
  if (is.null(level)) fail("this model has no intervals: fit it with intervals = TRUE")
  if (!is.null(asked) && !isTRUE(all.equal(asked, level))) {
    fail("the intervals of this model are of level ", text_of(level), ", which was fixed when it was fitted")
  }
  level
}

#' @importFrom stats nobs
#' @export
nobs.private_glm <- function(object, ...) {
  # stats passes this one on.
  no_others("nobs", ..., also = "use.fallback")
  object$content$training$rows
}

#' @importFrom stats formula
#' @export
formula.private_glm <- function(x, ...) {
  no_others("formula", ...)
  if (is.null(x$formula)) fail("this model was read from a file, which has no formula")
  x$formula
}
