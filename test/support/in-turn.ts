// Test files that share a process, one after the other. Each begins in the process that the first one found.
import assert from 'node:assert/strict'
import { after, mock, suite } from 'node:test'

/** Loads a file when all tests of the one before it have ended, and takes back what it changed: variables, folder, umask and mocks. */
export function inTurn(file: string, load: () => Promise<unknown>): Promise<void> {
  const restore = remember()
  return new Promise(done => {
    suite(file, async () => {
      try {
        await load()
      } finally {
        // After what the file itself does at its end, and also where it cannot be loaded.
        after(() => {
          restore()
          done()
          assert.deepEqual(warnings.splice(0), [], 'Node warned of something')
        })
      }
    })
  })
}

/** Warnings of Node, which the command would print. A test may use what is experimental; a command that does is found in its own process. */
const warnings: string[] = []
process.on('warning', ({ name, message, stack, code }: NodeJS.ErrnoException) => {
  // Tests of TLS set it, and Node says so once.
  if (message.includes('NODE_TLS_REJECT_UNAUTHORIZED')) return
  // Ours, on a host without a sandbox.
  if (code === 'RLP_NO_SANDBOX') return
  if (name !== 'ExperimentalWarning') warnings.push(`${name}: ${message}\n${stack}`)
})

function remember(): () => void {
  const variables = { ...process.env }
  const folder = process.cwd()
  const umask = process.umask()
  return () => {
    for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name]
    Object.assign(process.env, variables)
    process.chdir(folder)
    process.umask(umask)
    mock.restoreAll()
  }
}
