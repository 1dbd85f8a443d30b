#!/usr/bin/env node
import { runCli } from './cli/run-cli.ts';

const { env, stdin, stdout, stderr } = process;
const code = await runCli({ args: process.argv.slice(2), env, cwd: process.cwd(), stdin, stdout, stderr });
// Nothing that a command left behind (a socket that lingers, a timer) may keep the process.
process.exit(code);
