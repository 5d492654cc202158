//! The HTML page: that it is well formed, loads and runs nothing, leads to every failure, and that no text of a report or a
//! target can change that; and the drawings, that they agree with what the vectors expect.

mod careless;
mod markup;
mod pages;
mod timeline;
