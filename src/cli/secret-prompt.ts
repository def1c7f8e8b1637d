// One hidden line from the terminal. Written by hand: it must never reach a screen, a log or a history.
import { RlpError } from '../model/error.ts'

const CANCEL = new Set(['\u0003', '\u0004', '\u001b'])

/** @throws RlpError CANCELLED on Ctrl-C, Ctrl-D and Escape */
export async function readSecret(
  question: string,
  problemOf: (text: string) => string | undefined = () => undefined,
): Promise<string> {
  const { stdin, stderr } = process
  while (true) {
    stderr.write(`${question}: `)
    const text = await readLine(stdin)
    stderr.write('\n')
    const problem = problemOf(text)
    if (problem === undefined) return text
    stderr.write(`${problem}\n`)
  }
}

function readLine(stdin: NodeJS.ReadStream): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    stdin.setRawMode(true)
    stdin.setEncoding('utf8')
    stdin.resume()
    const done = () => {
      stdin.setRawMode(false)
      stdin.pause()
      stdin.removeListener('data', take)
    }
    const take = (keys: string) => {
      for (const key of keys) {
        if (CANCEL.has(key)) {
          done()
          reject(new RlpError('CANCELLED', 'Cancelled: nothing was written'))
          return
        }
        if (key === '\r' || key === '\n') {
          done()
          resolve(text)
          return
        }
        if (key === '\u007f' || key === '\b') text = [...text].slice(0, -1).join('')
        else text += key
      }
    }
    stdin.on('data', take)
  })
}
