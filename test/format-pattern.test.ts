import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { matchPattern } from '../src/format/text/match-pattern.ts'
test('x', () => {
  const text = fc.string({ unit: fc.constantFrom('a','b','-','\n','é','😀','_','1','\ud83d'), maxLength: 10 })
  const atom = fc.constantFrom('a','b','.','\\d','\\w','\\W','[ab]','[^a]','\\u{1f600}','\\ud83d\\ude00','😀','\\p{L}','\\x61','\\-','[\\]a-]','^','$','\\b','\\B', '\\n','(?:)')
  const { pattern } = fc.letrec<{pattern:string;term:string}>(tie => ({
    pattern: fc.array(fc.array(tie('term'),{maxLength:3}).map(p=>p.join('')),{minLength:1,maxLength:2}).map(p=>p.join('|')),
    term: fc.oneof({maxDepth:3, depthSize: 'small'}, atom, fc.tuple(fc.constantFrom('(?:','(','(?=','(?!','(?<=','(?<!','(?<n>'), tie('pattern'), fc.constantFrom('','*','+','?','*?','{2}','{1,2}','{0}','{1,}?')).map(([o,p,q])=> o+p+')'+(/[=!]$/.test(o)?'':q)), fc.tuple(fc.constantFrom('a','.','[ab]','\\w'), fc.constantFrom('*','+','?','{2}','{0,2}')).map(([a,q])=>a+q)),
  }))
  let n=0, found=0
  fc.assert(fc.property(pattern, text, (p,t) => {
    let r: RegExp
    try { r = new RegExp(p,'u') } catch { return }
    n++
    const m = matchPattern(p,t)
    if (m.decided && m.found) found++
    assert.deepEqual(m, {decided:true, found:r.test(t)}, JSON.stringify([p,t]))
  }), {numRuns: 20000})
  console.log(n, found)
})
