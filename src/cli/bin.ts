#!/usr/bin/env node
// The program: the only file that does something when it is loaded.
import { keepCompiledCode } from '../io/compiled-code.ts'

// Before the rest of it is loaded.
keepCompiledCode(import.meta.filename)
// It judges what went wrong itself, and until it has ended the exit code is that of a defect.
void import('./process.ts').then(({ runProcess }) => runProcess())
