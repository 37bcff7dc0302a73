/**
 * Reads a caller's document: checks its size, parses it, checks its shape, and validates it. This order keeps refusals cheap, because each
 * step limits the cost of the next one. A document is refused with the first few of its faults.
 */
import {
  type ASTVisitor,
  type DocumentNode,
  FragmentsOnCompositeTypesRule,
  GraphQLError,
  type GraphQLSchema,
  getNamedType,
  Kind,
  KnownDirectivesRule,
  KnownFragmentNamesRule,
  MaxIntrospectionDepthRule,
  NoFragmentCyclesRule,
  NoUndefinedVariablesRule,
  NoUnusedFragmentsRule,
  NoUnusedVariablesRule,
  OverlappingFieldsCanBeMergedRule,
  PossibleFragmentSpreadsRule,
  parse,
  specifiedRules,
  UniqueDirectivesPerLocationRule,
  UniqueFragmentNamesRule,
  UniqueVariableNamesRule,
  type ValidationContext,
  type ValidationRule,
  type ValueNode,
  VariablesAreInputTypesRule,
  VariablesInAllowedPositionRule,
  validate,
  visit,
} from 'graphql';
import type { Config } from '../../../config/config.ts';
import { type FieldFault, GatewayError } from '../../../errors.ts';
import { isId } from '../../../platform/identifier.ts';
import { overLimit } from '../server/limits.ts';
import { literalFault, NO_TEXT } from '../server/request-faults.ts';
import { shapeOf } from './document-shape.ts';

/** Maximum number of faults of a document that are reported. */
const FAULTS_LIMIT = 5;
const OPERATIONS_LIMIT = 20;
const FRAGMENTS_LIMIT = 100;
const VARIABLES_LIMIT = 200;
const DIRECTIVES_LIMIT = 200;
/** Maximum number of pairs of selections that the rule for mergeable fields may compare. */
const MERGES_LIMIT = 2_000;

type Limits = Pick<Config['graphql'], 'tokens' | 'depth' | 'fields'>;
type ParsedDocument = { text: string; document: DocumentNode; merges: number };

/** Rules for syntax that contains certain characters. Without these characters, the rules find nothing and are skipped. */
const rulesOfSigns: [sign: RegExp, rules: readonly ValidationRule[]][] = [
  [
    /\$/,
    [
      NoUndefinedVariablesRule,
      NoUnusedVariablesRule,
      UniqueVariableNamesRule,
      VariablesAreInputTypesRule,
      VariablesInAllowedPositionRule,
    ],
  ],
  [
    /\.\.\.|fragment/,
    [
      FragmentsOnCompositeTypesRule,
      KnownFragmentNamesRule,
      NoFragmentCyclesRule,
      NoUnusedFragmentsRule,
      PossibleFragmentSpreadsRule,
      UniqueFragmentNamesRule,
    ],
  ],
  [/@/, [KnownDirectivesRule, UniqueDirectivesPerLocationRule]],
  [/__/, [MaxIntrospectionDepthRule]],
];
const ourRules: readonly ValidationRule[] = [...specifiedRules, MaxIntrospectionDepthRule, literalsRule];

/**
 * Parses a document. Throws PAYLOAD_TOO_LARGE for a text of more than `maxBytes`, and VALIDATION_ERROR for a text that cannot be parsed,
 * contains control characters, or exceeds a limit of its shape.
 */
export function parseDocument(text: string, limits: Limits & { maxBytes: number }): ParsedDocument {
  requireSize(text, limits.maxBytes);
  if (text.includes('\0') || !text.isWellFormed()) {
    throw new GraphQLError('The document has characters that are not text.');
  }
  const document = parse(text, { maxTokens: limits.tokens });
  const shape = shapeOf(document, { fieldsLimit: limits.fields });
  const refusal = overLimit({
    depth: { is: shape.depth, limit: limits.depth },
    breadth: { is: shape.fields, limit: limits.fields },
    operations: { is: shape.operations, limit: OPERATIONS_LIMIT },
    fragments: { is: shape.fragments, limit: FRAGMENTS_LIMIT },
    variables: { is: shape.variables, limit: VARIABLES_LIMIT },
    directives: { is: shape.directives, limit: DIRECTIVES_LIMIT },
    merges: { is: shape.merges, limit: MERGES_LIMIT },
  });
  if (refusal) throw refusal;
  return { text, document, merges: shape.merges };
}

/** Returns the first faults of a document against the schema, each with its argument or field. Empty for a valid document. */
export function validateDocument(
  schema: GraphQLSchema,
  { text, document, merges }: ParsedDocument,
): readonly GraphQLError[] {
  const idle = new Set(rulesOfSigns.flatMap(([sign, rules]) => (sign.test(text) ? [] : rules)));
  const rules = ourRules.filter((rule) => rule !== OverlappingFieldsCanBeMergedRule && !idle.has(rule));
  const found = firstFaults(schema, document, rules);
  // The most expensive rule is last, and only runs if selections overlap.
  const errors =
    found.length > 0 || merges === 0 ? found : firstFaults(schema, document, [OverlappingFieldsCanBeMergedRule]);
  return errors.length === 0 ? errors : withPlaces(document, errors);
}

function requireSize(text: string, maxBytes: number): void {
  if (text.length <= maxBytes / 3 || Buffer.byteLength(text) <= maxBytes) return;
  throw new GatewayError('PAYLOAD_TOO_LARGE', `The text of the document is larger than ${maxBytes} bytes.`);
}

/** Returns the faults without the last error of graphql, which only states that there are more. */
function firstFaults(schema: GraphQLSchema, document: DocumentNode, rules: readonly ValidationRule[]): GraphQLError[] {
  return validate(schema, document, rules, { maxErrors: FAULTS_LIMIT }).slice(0, FAULTS_LIMIT);
}

/** Rejects literals of type ID that are not UUIDs, and text that Postgres cannot store. */
function literalsRule(context: ValidationContext): ASTVisitor {
  const refuse = (node: ValueNode, message: string) => context.reportError(new GraphQLError(message, { nodes: node }));
  const isOfId = () => getNamedType(context.getInputType())?.name === 'ID';
  return {
    StringValue(node) {
      if (node.value.includes('\u0000')) refuse(node, NO_TEXT);
      else if (isOfId() && !isId(node.value)) refuse(node, 'must be a UUID');
    },
    IntValue(node) {
      if (isOfId()) refuse(node, 'must be a UUID');
    },
  };
}

/** Converts errors to faults of the request that name their argument, in one pass through the document. */
function withPlaces(document: DocumentNode, errors: readonly GraphQLError[]): GraphQLError[] {
  const paths = new Map<unknown, string[]>(errors.map((error) => [error.nodes?.[0], []]));
  const path: string[] = [];
  visit(document, {
    enter(node) {
      if (node.kind === Kind.ARGUMENT || node.kind === Kind.OBJECT_FIELD) path.push(node.name.value);
      if (paths.has(node)) paths.set(node, [...path]);
    },
    leave(node) {
      if (node.kind === Kind.ARGUMENT || node.kind === Kind.OBJECT_FIELD) path.pop();
    },
  });
  return errors.map((error) => {
    const fault: FieldFault | undefined = literalFault(error.message, paths.get(error.nodes?.[0]) ?? []);
    const cause = new GatewayError('VALIDATION_ERROR', error.message, fault ? { details: [fault] } : {});
    return new GraphQLError(error.message, { nodes: error.nodes, originalError: cause });
  });
}
