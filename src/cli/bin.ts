#!/usr/bin/env node
// The program: the only file that does something when it is loaded.
import { runProcess } from './process.ts'

await runProcess()
