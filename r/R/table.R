# The rows, as the program reads them.
#
# The whole data frame is written, whatever a model uses of it: the ledger recognises rows by the file's bytes, and the
# same people in other columns would look like other people.

write_table <- function(data, used, path) {
  check_table(data, used)
  fields <- lapply(data, csv_fields)
  header <- paste(csv_quoted(enc2utf8(names(data))), collapse = ",")
  lines <- if (nrow(data) > 0) do.call(paste, c(unname(fields), sep = ","))
  # A blank line would be no row.
  lines[lines == ""] <- "\"\""
  write_owner_only(c(header, lines), path)
}

check_table <- function(data, used) {
  if (!is.data.frame(data)) fail("data is a data frame, not ", shown(data))
  names <- names(data)
  if (anyDuplicated(names)) fail("the data frame has two columns '", names[anyDuplicated(names)], "'")
  gone <- setdiff(used, names)
  if (length(gone) > 0) fail("the data frame has no column '", gone[1], "'; it has ", paste(names, collapse = ", "))
  for (name in names) {
    column <- data[[name]]
    if (name %in% used && !is_plain(column)) {
      fail("column '", name, "' is of class ", class(column)[1],
           ": turn it into numbers, texts, a factor or logicals first")
    }
    if (!is.null(dim(column))) fail("column '", name, "' is a matrix or a data frame: make columns of it")
  }
}

# Refuses numbers that are compared with codes and are several whole numbers at once: R has no others of this size.
check_codes <- function(data, names) {
  for (name in names) {
    if (is_inexact(data[[name]])) {
      fail("column '", name, "' is compared with codes, and has a number of 2^53 or more: so large, several whole numbers are ",
           "the same one in R. Read the column as text, such as with colClasses = \"character\"")
    }
  }
}

is_inexact <- function(values) is.double(values) && any(abs(values) >= 2^53 & is.finite(values), na.rm = TRUE)

# NA is an empty field.
csv_fields <- function(column) {
  text <- text_of(column)
  if (!is.numeric(column) || is.object(column)) text <- for_each_different(text, csv_quoted)
  replace(text, is.na(column), "")
}

csv_quoted <- function(text) paste0("\"", gsub("\"", "\"\"", text, fixed = TRUE), "\"")
