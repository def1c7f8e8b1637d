// First letters as answers to a choice of @clack/prompts, which itself knows only arrow keys.
import { own } from '../model/own.ts'
import type { Choice } from './wizard/question.ts'

/** Keys that the choice itself takes as steps, beside the arrows. */
const STEPS: Readonly<Record<string, number>> = {
  up: -1,
  left: -1,
  k: -1,
  h: -1,
  down: 1,
  right: 1,
  j: 1,
  l: 1,
}

/**
 * Lets people type `y`, `n` or another first letter, as at a [y/N] question; Enter still decides. The choice knows only arrow keys, so a
 * letter is sent to it as that many steps down.
 */
export function listenForLetters(choices: readonly Choice[], fallback: string): () => void {
  const { stdin } = process
  const count = choices.length
  let at = Math.max(
    0,
    choices.findIndex(({ value }) => value === fallback),
  )
  const onKey = (char: string | undefined, key: { readonly name?: string } | undefined) => {
    const step = own(STEPS, key?.name ?? '') ?? 0
    const letter = char?.toLowerCase()
    const wanted = choices.findIndex(({ value }) => letter !== undefined && value.startsWith(letter))
    if (wanted === -1 || letter === undefined) {
      at = (at + step + count) % count
      return
    }
    // h, j, k and l are steps as well: the choice will take this one after us.
    for (let left = (wanted - step - at + 2 * count) % count; left > 0; left--)
      stdin.emit('keypress', undefined, { name: 'down' })
    at = wanted
  }
  stdin.on('keypress', onKey)
  return () => void stdin.off('keypress', onKey)
}
