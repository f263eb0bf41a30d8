#' Predict with a private model
#'
#' The program predicts, so that R, Python and the command line give the same numbers. It costs nothing: the model was
#' published. The rows are treated as those of the fit were: numbers are clipped to their bounds.
#'
#' @param object A model of [private_glm()].
#' @param newdata A data frame with the model's columns. The model keeps no rows of its own.
#' @param type `"response"` for probabilities of the positive value, `"link"` for log odds, `"class"` for the value that
#'   is more likely. (For `loss = "hinge"` there are no probabilities.)
#' @param ... Anything else is refused: a private model has no standard errors of predictions.
#' @return A vector with the row names of `newdata`.
#' @importFrom stats predict
#' @export
predict.private_glm <- function(object, newdata, type = c("response", "link", "class"), ...) {
  no_others("predict", ...)
  if (missing(newdata)) fail("newdata is missing: a private model keeps no rows to predict")
  type <- one_of("type", type, c("response", "link", "class"))
  columns <- object$content$schema$columns
  used <- vapply(Filter(function(column) is.list(column$kind), columns), `[[`, "", "name")
  if (!is.data.frame(newdata)) fail("newdata is a data frame, not ", shown(newdata))
  codes <- vapply(Filter(function(column) is.list(column$kind) && !is.null(column$kind$category), columns), `[[`, "", "name")
  check_codes(newdata, codes)
  folder <- private_folder()
  on.exit(unlink(folder, recursive = TRUE))
  write_table(newdata[intersect(names(newdata), used)], used, file.path(folder, "rows.csv"))
  write_owner_only(object$json, file.path(folder, "model.json"))
  scores <- read_csv(run_program(c("predict", "model.json", "rows.csv"), folder), character = "label")
  if (type == "response" && is.null(scores$probability)) {
    fail("a hinge loss has no probabilities: use type = \"link\" or \"class\"")
  }
  column <- c(response = "probability", link = "score", class = "label")[[type]]
  stats::setNames(scores[[column]], row.names(newdata))
}

read_csv <- function(text, character = character()) {
  header <- names(utils::read.csv(text = sub("\n.*", "", text), check.names = FALSE))
  classes <- ifelse(header %in% character, "character", NA)
  utils::read.csv(text = text, colClasses = classes, check.names = FALSE, na.strings = character(), encoding = "UTF-8")
}
