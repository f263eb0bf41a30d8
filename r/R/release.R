#' Read a model or a density that was published
#'
#' @param file A `model.json` or a `density.json`, whoever made it: R, Python or the command line.
#' @return A model as [private_glm()] gives it, without its formula, or a density as [private_density()] gives it.
#' @examples
#' \dontrun{
#' model <- read_release("result/model.json")
#' predict(model, new_patients)
#' }
#' @export
read_release <- function(file) {
  check_name("file", file)
  if (!file.exists(file)) fail("there is no file ", file)
  new_release(read_utf8(file), absolute(file))
}

new_release <- function(json, file) {
  content <- tryCatch(from_json(json), error = function(error) fail(file, " is no JSON: ", conditionMessage(error)))
  class <- c("discretion-model/1" = "private_glm", "discretion-density/1" = "private_density")
  format <- content$format
  if (!is.character(format)) fail(file, " is neither a model nor a density")
  if (!format %in% names(class)) fail(file, " is of format ", format, ", which this version of the package cannot read")
  page <- paste0(if (format == "discretion-model/1") "report" else "density", ".html")
  page <- file.path(dirname(file), paste0(if (startsWith(basename(file), "seeded-")) "seeded-", page))
  # The text is kept, because the program predicts from it.
  release <- list(content = content, json = json, file = file, report = page)
  structure(release, class = class[[format]])
}

# What every release says first.
statement <- function(x) x$content$privacy$statement
