//! The server in front of the harness's own HTTP target, and in front of clients that mean no good.

mod conformance;
mod control;
mod hostile;
mod rest;
mod running;
mod signed;
