#!/usr/bin/env node
require("./start.js")("cosmos-ttl");
