// The placeholders of a tool for values of the call, each with what the input schema says of the value.
import { placeholdersIn } from '../../format/template/template.ts'
import { findInput, type InputFact } from '../../format/template/template-input.ts'
import { type Agent, TOOLS_FILE } from '../../model/agent.ts'
import type { Place } from '../../model/finding.ts'
import { templateTexts } from './tool-templates.ts'

export interface InputPlaceholder {
  readonly file: string
  readonly place: Place
  /** As it is written. */
  readonly text: string
  readonly fact: InputFact
}

/** Nothing in between, so that other work gets its turn. */
export function* inputPlaceholders(agent: Agent): Generator<InputPlaceholder | undefined> {
  const fileAt = (path: string) => agent.documents.get(path)?.value
  for (const [index, tool] of (agent.tools?.tools ?? []).entries()) {
    yield undefined
    for (const { text, at } of templateTexts(tool)) {
      yield undefined
      const place = { pointer: ['tools', index, ...at] }
      for (const part of placeholdersIn(text)) {
        if (part.kind !== 'input') yield undefined
        else yield { file: TOOLS_FILE, place, text: part.text, fact: findInput(tool, part.path, fileAt) }
      }
    }
  }
}
