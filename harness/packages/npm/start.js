// Starts a program of the package for this platform, which npm installs as an optional dependency.
"use strict";

const { spawn } = require("node:child_process");

module.exports = function start(program) {
  const platform = `${process.platform}-${process.arch}`;
  let file;
  try {
    file = require.resolve(`@cosmos-ttl/${platform}/${program}${process.platform === "win32" ? ".exe" : ""}`);
  } catch {
    console.error(`error: the package @cosmos-ttl/${platform} is not installed: is there one, or were optional packages left out?`);
    process.exit(2);
  }
  const child = spawn(file, process.argv.slice(2), { stdio: "inherit" });
  process.on("SIGINT", () => {}); // Ctrl-C reaches the program, too; a second one would end it at once
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  child.on("error", (error) => {
    console.error(`error: ${file}: ${error.message}`);
    process.exit(2);
  });
  child.on("exit", (code, signal) => {
    process.removeAllListeners(signal);
    if (signal) process.kill(process.pid, signal);
    else process.exit(code);
  });
};
