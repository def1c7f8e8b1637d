// The raw errors of a value → one problem per place.

import { stepsOf, valueAt } from '../json/pointer.ts'
import type { Pointer, ShapeProblem } from '../model/document.ts'
import { own } from '../model/own.ts'
import { fixFor } from './fix.ts'
import type { RawError } from './own-errors.ts'
import { type Speech, sentenceFor, unknownKey } from './words.ts'

/** The most telling error of a place comes first; an error of `if` only repeats those of its branch. */
const WEIGHT: Readonly<Record<string, number>> = { const: 0, enum: 0, type: 1, if: 9 }

/** The most telling error of each place. Every missing and every unknown key is a place of its own. */
export function onePerPlace(errors: readonly RawError[]): readonly RawError[] {
  const places = new Map<string, RawError>()
  for (const error of errors) {
    const { instancePath, keyword, params } = error
    const key = isUnknownKey(error) ? unknownKey(error) : params['missingProperty']
    const place = JSON.stringify([instancePath, keyword === 'required', key])
    const rival = places.get(place)
    if (rival === undefined || weight(error) < weight(rival)) places.set(place, error)
  }
  const telling = [...places.values()].filter(({ keyword }) => keyword !== 'if')
  return telling.length > 0 ? telling : errors.slice(0, 1)
}

function weight({ keyword }: RawError): number {
  return own(WEIGHT, keyword) ?? 2
}

function isUnknownKey({ keyword }: RawError): boolean {
  return keyword === 'additionalProperties' || keyword === 'unevaluatedProperties'
}

/**
 * @param at the position of the checked value in its document
 * @param value the checked value
 */
export function toProblem(error: RawError, at: Pointer, value: unknown, speech: Speech): ShapeProblem {
  const { keyword, instancePath } = error
  const place = [...at, ...pointerOf(instancePath, value)]
  const isKey = isUnknownKey(error) || (keyword === 'required' && typeof place.at(-1) === 'string')
  return {
    pointer: isUnknownKey(error) ? [...place, unknownKey(error)] : place,
    part: isKey ? 'key' : 'value',
    message: sentenceFor(error, place, speech),
    fix: fixFor(error, place, speech, valueAt(value, pointerOf(instancePath, value).slice(0, -1))),
    keyword,
  }
}

/** A JSON pointer writes `/0` for an index and for a key alike; the value decides which it is. */
export function pointerOf(instancePath: string, value: unknown): Pointer {
  const steps: (string | number)[] = []
  let here = value
  for (const step of stepsOf(instancePath)) {
    steps.push(Array.isArray(here) ? Number(step) : step)
    here = own(here as Readonly<Record<string, unknown>>, step)
  }
  return steps
}
