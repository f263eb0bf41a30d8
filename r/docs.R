# Rscript r/docs.R PAGE...: runs the R code of each page, in its order, in an empty folder. A page that does not run is
# an error. A line with `#> Error` after it must fail.
pages <- normalizePath(commandArgs(TRUE))
library(discretion)
options(warn = 1, device = function(...) grDevices::pdf(NULL))
for (page in pages) {
  lines <- readLines(page, encoding = "UTF-8")
  opening <- which(lines == "```r")
  setwd(tempfile("page-") |> (\(folder) { dir.create(folder); folder })())
  names <- new.env(parent = globalenv())
  for (start in opening) {
    end <- start + which(startsWith(lines[-seq_len(start)], "```"))[1]
    code <- lines[(start + 1):(end - 1)]
    fails <- any(startsWith(code, "#> Error"))
    cat(code, "", sep = "\n")
    failed <- tryCatch({
      for (call in parse(text = code, encoding = "UTF-8")) {
        shown <- withVisible(eval(call, names))
        if (shown$visible) print(shown$value)
      }
      FALSE
    }, error = function(error) {
      cat("Error:", conditionMessage(error), "\n")
      TRUE
    })
    if (failed != fails) stop(basename(page), ", line ", start, ": ", if (failed) "failed" else "did not fail")
  }
  cat(basename(page), ": ", length(opening), " pieces of code ran\n", sep = "")
}
