//! What is said of single lines.
