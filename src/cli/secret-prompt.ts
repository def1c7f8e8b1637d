// One line from the terminal, hidden or shown. Written by hand: a hidden one must never reach a screen, a log or a history.

import { RlpError } from '../model/error.ts'
import { printable } from '../text/printable.ts'

const CANCEL = new Set(['\u0003', '\u0004', '\u001b'])

/** @throws RlpError CANCELLED on Ctrl-C, Ctrl-D and Escape */
export async function readSecret(
  question: string,
  problemOf: (text: string) => string | undefined = () => undefined,
): Promise<string> {
  return readAnswer(question, problemOf, () => {})
}

/** The same, shown while it is typed. @throws RlpError CANCELLED */
export async function readName(
  question: string,
  problemOf: (text: string) => string | undefined,
): Promise<string> {
  return readAnswer(question, problemOf, shown => process.stderr.write(shown))
}

async function readAnswer(
  question: string,
  problemOf: (text: string) => string | undefined,
  show: (text: string) => void,
): Promise<string> {
  const { stdin, stderr } = process
  while (true) {
    stderr.write(`${question}: `)
    const text = await readLine(stdin, show)
    stderr.write('\n')
    const problem = problemOf(text)
    if (problem === undefined) return text
    stderr.write(`${problem}\n`)
  }
}

function readLine(stdin: NodeJS.ReadStream, show: (text: string) => void): Promise<string> {
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
          // What is said of it begins a line of its own.
          process.stderr.write('\n')
          reject(new RlpError('CANCELLED', 'Cancelled: nothing was written'))
          return
        }
        if (key === '\r' || key === '\n') {
          done()
          resolve(text)
          return
        }
        if (key === '\u007f' || key === '\b') {
          if (text !== '') show('\b \b')
          text = [...text].slice(0, -1).join('')
          continue
        }
        text += key
        show(printable(key))
      }
    }
    stdin.on('data', take)
  })
}
