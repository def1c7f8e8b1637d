// Compares two JSON Schemas: where does one accept a value that the other refuses? Sound and incomplete: `breaking` only if such a value is known
// to exist, no gap only if none can; everything between is `not decided`. Both are parsed JSON, so their depth is bounded.
import { jsonPointer } from '../json/pointer.ts'
import { isSameData } from '../json/same-data.ts'
import { own } from '../model/own.ts'
import {
  isRemark,
  isSatisfiable,
  isScalar,
  isTypeIn,
  isUnderstood,
  isWellFormed,
  listedValues,
  mentionsRef,
  propertiesOf,
  propertyOf,
  requiredBy,
  takesScalar,
  typesOf,
  UNDERSTOOD,
} from './accepts.ts'
import type { SchemaObject } from './walk.ts'

/** `input`: callers send values, so it may only accept more. `result`: callers get values, so it may only promise more. */
export type SchemaSide = 'input' | 'result'

/** A place where values are refused, or may be, that were accepted. */
export interface SchemaGap {
  /** JSON pointer from the schema's root; empty for the root. */
  readonly at: string
  readonly is: 'breaking' | 'not decided'
  readonly message: string
}

type ReportGap = (gap: SchemaGap) => void

interface Compared {
  readonly side: SchemaSide
  /** Whether equal references have equal targets. */
  readonly areRefsSame: boolean
}

/**
 * @param wide has to accept everything: the new schema of an input, the old one of a result
 * @param narrow the other schema
 */
export function gapsIn(wide: unknown, narrow: unknown, about: Compared): SchemaGap[] {
  const gaps: SchemaGap[] = []
  compare(wide, narrow, about, '', gap => gaps.push(gap))
  return gaps
}

function compare(wide: unknown, narrow: unknown, about: Compared, at: string, report: ReportGap): void {
  if (wide === true || narrow === false) return
  const unsure = (message: string): void => report({ at, is: 'not decided', message })
  const loses = about.side === 'input' ? 'no longer accepts' : 'may now be'
  if (wide === false) {
    const is = isSatisfiable(narrow) ? 'breaking' : 'not decided'
    report({ at, is, message: `${loses} any value` })
    return
  }
  const [w, n] = [wide, narrow === true ? {} : narrow]
  if (!isWellFormed(w) || !isWellFormed(n)) {
    if (!isSameData(w, n)) unsure('is not read by this build')
    return
  }
  const keys = new Set([...Object.keys(w), ...Object.keys(n)])
  const others = [...keys].filter(key => !UNDERSTOOD.has(key) && !isRemark(key))
  const steering = others.find(key => STEERING.includes(key))
  if (steering !== undefined && [...UNDERSTOOD].some(key => !isSameData(own(w, key), own(n, key))))
    unsure(`changed beside ${steering}`)
  const values = listedValues(n)
  const areScalars = values?.every(isScalar)
  for (const key of others) {
    if (!isSameData(own(w, key), own(n, key))) {
      const isKept =
        (steering === undefined && isImplied(key, w, n)) ||
        (areScalars === true && values?.every(value => isWithinBound(key, own(w, key), value)))
      if (!isKept) unsure(`${key} changed`)
    } else if (!about.areRefsSame && mentionsRef({ [key]: own(w, key) }))
      unsure('refers to a schema that may have changed')
  }
  // It is known which values a narrow schema accepts only if all of its keywords are understood.
  understood(w, n, isUnderstood(n) ? report : undecided(report))

  function understood(w: SchemaObject, n: SchemaObject, report: ReportGap): void {
    const say = (is: SchemaGap['is'], message: string): void => report({ at, is, message })
    if (values !== undefined) {
      if ([...UNDERSTOOD].every(key => isSameData(own(w, key), own(n, key)))) return
      if (areScalars !== true) {
        say('not decided', 'its listed values changed')
        return
      }
      const isTaken = takesScalar(w)
      const lost = values.filter(value => !isTaken(value))
      if (lost.length > 0)
        say(
          'breaking',
          `${loses} ${lost
            .slice(0, 5)
            .map(value => JSON.stringify(value))
            .join(', ')}`,
        )
      return
    }
    const types = typesOf(n)
    if (listedValues(w) !== undefined) {
      const isEndless = types.includes('string') || types.includes('number') || types.includes('integer')
      const what = about.side === 'input' ? 'more than' : 'other than'
      say(isEndless ? 'breaking' : 'not decided', `${loses} ${what} listed values`)
      return
    }
    const isObjectKnown = isSatisfiable({ ...n, type: 'object' })
    const allowed = typesOf(w)
    const lost = types.filter(type => !isTypeIn(allowed, type))
    if (lost.length > 0) {
      const isBroken = isObjectKnown || lost.some(type => type !== 'object')
      say(isBroken ? 'breaking' : 'not decided', `${loses} ${lost.join(' or ')}`)
    }
    if (types.includes('object') && allowed.includes('object'))
      objects(w, n, isObjectKnown ? report : undecided(report))
    if (types.includes('array') && allowed.includes('array'))
      compare(w['items'] ?? true, n['items'] ?? true, about, `${at}/items`, report)
  }

  function objects(w: SchemaObject, n: SchemaObject, report: ReportGap): void {
    const demanded = new Set(requiredBy(n))
    for (const name of new Set(requiredBy(w))) {
      const message =
        about.side === 'input'
          ? `${JSON.stringify(name)} is required now`
          : `${JSON.stringify(name)} is no longer promised`
      if (!demanded.has(name)) report({ at, is: 'breaking', message })
    }
    const [wide, narrow] = [propertiesOf(w), propertiesOf(n)]
    for (const name of new Set([...Object.keys(wide), ...Object.keys(narrow)])) {
      const place = at + jsonPointer(['properties', name])
      const [inWide, inNarrow] = [propertyOf(w, name), propertyOf(n, name)]
      if (Object.hasOwn(narrow, name) || n['additionalProperties'] !== undefined)
        compare(inWide, inNarrow, about, place, report)
      else if (hasGap(inWide, inNarrow, about)) {
        // It was not declared before, so it is unknown what callers sent under its name.
        const message = about.side === 'input' ? 'was not described before' : 'is not described any more'
        report({ at: place, is: 'not decided', message })
      }
    }
    compare(
      w['additionalProperties'] ?? true,
      n['additionalProperties'] ?? true,
      about,
      `${at}/additionalProperties`,
      report,
    )
  }
}

function hasGap(wide: unknown, narrow: unknown, about: Compared): boolean {
  let isFound = false
  compare(wide, narrow, about, '', () => {
    isFound = true
  })
  return isFound
}

function undecided(report: ReportGap): ReportGap {
  return gap => report({ ...gap, is: 'not decided' })
}

/** With one of these, properties or items mean something else than without it. */
const STEERING: readonly string[] = [
  'patternProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'prefixItems',
  'additionalItems',
]
/** A larger number accepts fewer values. */
const LEAST = /^(?:minimum|exclusiveMinimum|minLength|minItems|minProperties)$/
/** A smaller number accepts fewer values. */
const MOST = /^(?:maximum|exclusiveMaximum|maxLength|maxItems|maxProperties)$/
/**
 * Its absence accepts more, whatever is beside it. `minContains` is not in the list: 0 accepts more than its absence. Nor is `$ref`,
 * beside which older readers ignore other keywords, nor any unknown keyword.
 */
const ONLY_NARROWS =
  /^(?:pattern|multipleOf|uniqueItems|maxContains|contains|propertyNames|dependentRequired|dependentSchemas|allOf|anyOf|oneOf|not|if|then|else)$/

/** Whether every value that `narrow` accepts satisfies this keyword of `wide`. */
function isImplied(key: string, wide: SchemaObject, narrow: SchemaObject): boolean {
  const [w, n] = [own(wide, key), own(narrow, key)]
  if (isSameData(w, n)) return true
  if (LEAST.test(key)) return isBound(n) && (w === undefined || (isBound(w) && w <= n))
  if (MOST.test(key)) return isBound(n) && (w === undefined || (isBound(w) && w >= n))
  return w === undefined && ONLY_NARROWS.test(key)
}

/** Whether a scalar is known to satisfy a keyword. */
function isWithinBound(key: string, bound: unknown, value: unknown): boolean {
  if (!isBound(bound)) return false
  const size = /Length$/.test(key) ? lengthOf(value) : /imum$/.test(key) ? numberOf(value) : undefined
  // The keyword is about values of another type.
  if (size === undefined) return LEAST.test(key) || MOST.test(key)
  if (/^exclusive/.test(key) && size === bound) return false
  return LEAST.test(key) ? size >= bound : MOST.test(key) && size <= bound
}

function isBound(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

/** In characters, as JSON Schema counts. */
function lengthOf(value: unknown): number | undefined {
  return typeof value === 'string' ? [...value].length : undefined
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}
