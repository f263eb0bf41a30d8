# How R's values are written for the program: the same everywhere, so that a value in a schema and in the rows are the
# same text.

# Whether a vector is of a kind that has one obvious text.
is_plain <- function(values) {
  is.null(dim(values)) && (is.factor(values) || (!is.object(values) &&
    (is.character(values) || is.numeric(values) || is.logical(values))))
}

# One text for each value, NA for a missing one. Line breaks become spaces, so that a row of the table is a line.
text_of <- function(values) {
  if (is.double(values) && !is.object(values)) return(text_of_numbers(values))
  for_each_different(as.character(values), function(text) gsub("[\r\n]", " ", enc2utf8(text)))
}

# Columns of texts have few different ones, and work on texts is slow.
for_each_different <- function(values, work) {
  different <- unique(values)
  work(different)[match(values, different)]
}

# Few digits where they say all: 0.1, and not 0.10000000000000001.
text_of_numbers <- function(values) {
  there <- values[!is.na(values)]
  text <- sprintf("%.15g", there)
  longer <- as.numeric(text) != there
  text[longer] <- sprintf("%.17g", there[longer])
  replace(rep(NA_character_, length(values)), !is.na(values), text)
}

# A file of UTF-8, whatever the locale, that only its owner can read.
write_owner_only <- function(lines, path) {
  umask <- Sys.umask("077")
  on.exit(Sys.umask(umask))
  file <- file(path, "wb")
  on.exit(close(file), add = TRUE)
  writeLines(enc2utf8(lines), file, useBytes = TRUE)
}

read_utf8 <- function(path) paste0(readLines(path, encoding = "UTF-8", warn = FALSE), "\n", collapse = "")

from_json <- function(text) jsonlite::fromJSON(text, simplifyVector = FALSE)

# A folder for one call. R's own temporary folder can be entered by its owner alone, and so can this one.
private_folder <- function() {
  folder <- tempfile("discretion-")
  dir.create(folder, mode = "0700")
  normalizePath(folder)
}
