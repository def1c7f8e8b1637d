#!/usr/bin/env node
// The program: the only file that does something when it is loaded.
import { runProcess } from './process.ts'

// It judges what went wrong itself, and until it has ended the exit code is that of a defect.
void runProcess()
