// Factories for the rules about a whole document: those that compare it with its JSON Schema, and those about texts that cannot be read.
// The rules of a factory differ only in words.

import { isUtf8 } from 'node:buffer'
import { type Agent, MANIFEST_FILE, POLICY_FILE, TOOLS_FILE } from '../../model/agent.ts'
import type { ShapeProblem, TextProblemCode } from '../../model/document.ts'
import { ASK_FOR_LESS } from '../../model/limits.ts'
import { type BundleRule, type FileFix, isFixable, OF_THE_FILE } from './rule.ts'

/**
 * A rule that reports where the document at `file` breaks its schema in `schemas/`.
 * @param isElsewhere whether another rule reports the same in better words
 */
export function shapeRule(
  file: string,
  words: Pick<BundleRule, 'id' | 'step' | 'summary' | 'why' | 'fix'>,
  isElsewhere: (problem: ShapeProblem) => boolean = () => false,
): BundleRule {
  return {
    ...words,
    severity: 'error',
    scope: 'bundle',
    looks: 'agent',
    needs: {},
    check({ agent }, report) {
      for (const problem of agent.shapes.get(file) ?? []) {
        if (isElsewhere(problem)) continue
        const { pointer, part, message, fix } = problem
        report({ file, place: { pointer, part }, message, fix })
      }
    },
  }
}

const FIXES: Record<TextProblemCode, string> = {
  empty: 'Write the document, or remove the file',
  syntax: 'Correct the text here',
  encoding: 'Save the file as UTF-8 without a byte order mark',
  'duplicate-key': 'Remove one of the two',
  'unsafe-value': 'Write a value that every reader reads alike',
  'too-deep': 'Flatten the document',
  'too-large': 'Make the file smaller: state each thing once, and leave out what no reader needs',
}

/** A rule for one syntax and some codes of its strict parser. */
export function textRule(
  syntax: 'json' | 'toml',
  codes: readonly TextProblemCode[],
  words: Pick<BundleRule, 'id' | 'summary' | 'why' | 'fix'>,
): BundleRule {
  return {
    ...words,
    severity: 'error',
    scope: 'bundle',
    step: OF_THE_FILE,
    looks: 'agent',
    needs: {},
    check({ agent }, report) {
      for (const { path, syntax: found, problem } of agent.unreadable) {
        if (found !== syntax || !codes.includes(problem.code)) continue
        const place = problem.offset === undefined ? {} : { place: { offset: problem.offset } }
        const { code, message } = problem
        const advice = code === 'too-large' ? { advice: ASK_FOR_LESS } : {}
        report({
          file: path,
          ...place,
          message,
          fix: isRequired(path, code) ? 'Write the document' : FIXES[code],
          ...advice,
        })
      }
    },
    ...(codes.includes('encoding') && { autofix: agent => withoutMarks(agent, syntax) }),
  }
}

function isRequired(path: string, code: TextProblemCode): boolean {
  return code === 'empty' && [MANIFEST_FILE, POLICY_FILE, TOOLS_FILE].includes(path)
}

/** Removing a byte order mark changes no value. Other invalid text has to be fixed by its author. */
function withoutMarks(agent: Agent, syntax: 'json' | 'toml'): FileFix[] {
  const fixes: FileFix[] = []
  for (const { path, syntax: found, problem } of agent.unreadable) {
    const bytes = agent.files.get(path)?.bytes
    if (found !== syntax || problem.code !== 'encoding' || !isFixable(path) || bytes === undefined) continue
    const rest = bytes.subarray(MARK.length)
    if (!MARK.every((byte, at) => bytes[at] === byte) || !isUtf8(rest)) continue
    fixes.push({
      path,
      text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(rest),
      what: 'remove the byte order mark',
    })
  }
  return fixes
}

const MARK = [0xef, 0xbb, 0xbf]
