#!/usr/bin/env node
// Lets forge use the solc that npm installed: it answers --version (forge wants a native build's line) and --standard-json.
const solc = require('solc');
const { readFileSync } = require('node:fs');

if (process.argv.includes('--version')) {
  const version = solc.version().replace('.Emscripten.clang', '.Linux.g++');
  process.stdout.write(`solc, the solidity compiler commandline interface\nVersion: ${version}\n`);
} else {
  process.stdout.write(solc.compile(readFileSync(0, 'utf8')));
}
