//! Walks every reachable world of bounded size.
