/**
 * Reads a caller's document: bounds its size, parses it, bounds its shape, and validates it. The order keeps a refusal
 * cheap, because each step's cost is bounded by the step before. A document is refused with the first few of its faults.
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

/** Faults of one document that are answered. */
const FAULTS_LIMIT = 5;
const OPERATIONS_LIMIT = 20;
const FRAGMENTS_LIMIT = 100;
const VARIABLES_LIMIT = 200;
const DIRECTIVES_LIMIT = 200;
/** Pairs of selections that the rule about mergeable fields may compare. */
const MERGES_LIMIT = 2_000;

type Limits = Pick<Config['graphql'], 'tokens' | 'depth' | 'fields'>;
type ParsedDocument = { text: string; document: DocumentNode; merges: number };

/** Rules that look only at what is written with certain characters: without them they find nothing. */
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
 * The document of a text. PAYLOAD_TOO_LARGE for a text over `maxBytes`; VALIDATION_ERROR for one that does not parse, holds
 * characters that are no text, or exceeds a limit of its shape.
 */
export function parseDocument(text: string, limits: Limits & { maxBytes: number }): ParsedDocument {
  demandSize(text, limits.maxBytes);
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

/** The first faults of a document by the schema, each with the argument or field that it is in; none when it is valid. */
export function validateDocument(
  schema: GraphQLSchema,
  { text, document, merges }: ParsedDocument,
): readonly GraphQLError[] {
  const idle = new Set(rulesOfSigns.flatMap(([sign, rules]) => (sign.test(text) ? [] : rules)));
  const rules = ourRules.filter((rule) => rule !== OverlappingFieldsCanBeMergedRule && !idle.has(rule));
  const found = firstFaults(schema, document, rules);
  // The dearest rule last, and only where selections meet.
  const errors =
    found.length > 0 || merges === 0 ? found : firstFaults(schema, document, [OverlappingFieldsCanBeMergedRule]);
  return errors.length === 0 ? errors : withPlaces(document, errors);
}

function demandSize(text: string, maxBytes: number): void {
  if (text.length <= maxBytes / 3 || Buffer.byteLength(text) <= maxBytes) return;
  throw new GatewayError('PAYLOAD_TOO_LARGE', `The text of the document is larger than ${maxBytes} bytes.`);
}

/** Without graphql's own last error, which says only that there were more. */
function firstFaults(schema: GraphQLSchema, document: DocumentNode, rules: readonly ValidationRule[]): GraphQLError[] {
  return validate(schema, document, rules, { maxErrors: FAULTS_LIMIT }).slice(0, FAULTS_LIMIT);
}

/** Refuses literals in the place of an ID that are not UUIDs, and text that no table can keep. */
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

/** The errors as faults of the request that name the argument they are in, by one walk through the document. */
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
