#!/usr/bin/env node
// The program: the only file with an effect when it is loaded.
import { keepCompiledCode } from '../io/process/compiled-code.ts'

// Before the rest of it is loaded.
process.on('exit', keepCompiledCode(import.meta.filename, process.argv.slice(2)))
void import('./process.ts')
  .then(part => {
    if (!('runProcess' in part)) throw new Error('a part of it is empty')
    return part
  })
  .then(
    // It reports errors itself. Until it has ended, the exit code is that of a defect.
    ({ runProcess }) => runProcess(),
    (error: Error) => {
      // A part of the program is missing or damaged. Node's own exit code, 1, would read as a verdict; `EXIT.bug` would have to be loaded.
      process.exitCode = 70
      process.stderr.write(`rlp: Cannot start: ${error.message.split('\n')[0]}\nhint: Install it again\n`)
    },
  )
