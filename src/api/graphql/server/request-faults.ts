/** The faults of a request that are found before any resolver runs: invalid variables and literals, by their field. */
import {
  type DocumentNode,
  type GraphQLSchema,
  getVariableValues,
  isInputObjectType,
  Kind,
  type OperationDefinitionNode,
  typeFromAST,
  visit,
} from 'graphql';
import type { FieldFault } from '../../../errors.ts';
import { isId } from '../../../platform/identifier.ts';
import type { GraphqlContext } from './context.ts';
import { faultsOf, rulesOf } from './input.ts';

const AT = /^Variable "\$(\w+)" got invalid value [\s\S]*? at "([^"]+)"; ([\s\S]*)$/;
const INVALID_VARIABLE = /^Variable "\$(\w+)" got invalid value [\s\S]*?; ([\s\S]*)$/;
const MISSING = /^Variable "\$(\w+)" of (?:required|non-null) type "[^"]*" (was not provided|must not be null)\.$/;
const REQUIRED_FIELD = /^Field "([^"]+)" of required type "[^"]*" was not provided/;
const UNKNOWN_FIELD = /^Field "([^"]+)" is not defined by type/;
export const NO_TEXT = 'has characters that are not valid text';
const BAD_VALUE = /^Expected (?:value of )?(?:non-nullable )?type "[^"]*"[^;]*; ([\s\S]*)$/;

type Request = { schema: GraphQLSchema; document: DocumentNode; variables: Record<string, unknown> };

/** Returns the fault that the executor's message about a variable describes. */
export function variableFault(message: string): FieldFault | undefined {
  const missing = MISSING.exec(message);
  if (missing?.[1])
    return { param: missing[1], message: missing[2] === 'was not provided' ? 'is required' : 'is null' };
  const at = AT.exec(message);
  if (at?.[2] !== undefined) return inside(at[2], at[3] ?? '');
  const invalid = INVALID_VARIABLE.exec(message);
  return invalid?.[1] === undefined ? undefined : inside(invalid[1], invalid[2] ?? '');
}

/** Returns the faults of the raw variables by the rules of their input types, for a response that lists all faults at once. */
export function ruleFaults(context: GraphqlContext, request: Request): FieldFault[] {
  const faults: FieldFault[] = [];
  for (const definition of request.document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    for (const variable of definition.variableDefinitions ?? []) {
      const node = variable.type.kind === Kind.NON_NULL_TYPE ? variable.type.type : variable.type;
      const type = node.kind === Kind.NAMED_TYPE ? typeFromAST(request.schema, node) : undefined;
      const rules = isInputObjectType(type) ? rulesOf(type) : undefined;
      const name = variable.variable.name.value;
      if (rules && name in request.variables) {
        for (const fault of faultsOf(context, rules, request.variables[name])) faults.push(prefixed(name, fault));
      }
    }
  }
  return faults;
}

/** Returns the fault of a literal, named by the arguments and input fields around it, or undefined if there are none. */
export function literalFault(message: string, path: readonly string[]): FieldFault | undefined {
  if (path.length === 0) return undefined;
  const name = REQUIRED_FIELD.exec(message)?.[1]?.split('.').at(-1);
  const param = stripInput([...path, ...(name === undefined ? [] : [name])].join('.'));
  return { param, message: name === undefined ? (BAD_VALUE.exec(message)?.[1] ?? message) : 'is required' };
}

/** Returns the faults of variables that their types accept and tables cannot store: ids that are not UUIDs, and invalid text. */
export function variableFaults(operation: OperationDefinitionNode, variables: Record<string, unknown>): FieldFault[] {
  return [...idFaults(operation, variables), ...textFaults(variables)];
}

/** Returns all faults of the variables by their types and rules, for a response that lists all of them. */
export function allVariableFaults(context: GraphqlContext, request: Request & { operation: OperationDefinitionNode }) {
  const { operation, schema, variables } = request;
  const coerced = getVariableValues(schema, operation.variableDefinitions ?? [], variables);
  const faults = (coerced.errors ?? []).map((error) => variableFault(error.message));
  return [...faults.filter((fault) => fault !== undefined), ...ruleFaults(context, request)];
}

function idFaults(operation: OperationDefinitionNode, variables: Record<string, unknown>): FieldFault[] {
  return (operation.variableDefinitions ?? []).flatMap((definition) => {
    const type = definition.type.kind === Kind.NON_NULL_TYPE ? definition.type.type : definition.type;
    const name = definition.variable.name.value;
    const value = variables[name];
    if (type.kind !== Kind.NAMED_TYPE || type.name.value !== 'ID' || value === null || value === undefined) return [];
    return typeof value === 'string' && isId(value) ? [] : [{ param: name, message: 'must be a UUID' }];
  });
}

function textFaults(variables: Record<string, unknown>): FieldFault[] {
  const faults: FieldFault[] = [];
  const look = (value: unknown, path: string, depth: number): void => {
    if (typeof value === 'string') {
      if (!value.isWellFormed() || value.includes('\u0000')) {
        faults.push({ param: stripInput(path), message: NO_TEXT });
      }
    } else if (typeof value === 'object' && value !== null && depth < 64) {
      for (const [key, member] of Object.entries(value)) {
        look(key, path, depth + 1);
        look(member, Array.isArray(value) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`, depth + 1);
      }
    }
  };
  look(variables, '', 0);
  return faults;
}

/** Renames the faults of variables after the arguments that receive them, which are the names in the schema. */
export function namedByArguments(document: DocumentNode, faults: FieldFault[]): FieldFault[] {
  const names = new Map<string, Set<string>>();
  visit(document, {
    Argument({ name, value }) {
      if (value.kind !== Kind.VARIABLE) return;
      names.set(value.name.value, (names.get(value.name.value) ?? new Set()).add(name.value));
    },
  });
  // The fields of an input object are named by themselves, and their names may equal that of a variable.
  if (names.has('input')) return faults;
  return faults.map(({ param, message }) => {
    const [variable = ''] = /^\w+/.exec(param) ?? [];
    const [name, ...others] = names.get(variable) ?? [];
    if (name === undefined || others.length > 0) return { param, message };
    return { param: stripInput(name + param.slice(variable.length)), message };
  });
}

/** Returns the operation that a request executes. */
export function operationOf(
  document: DocumentNode,
  name: string | null | undefined,
): OperationDefinitionNode | undefined {
  const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  return name ? operations.find((operation) => operation.name?.value === name) : operations[0];
}

/** Returns the fault inside a variable: with the message of its type, or with what is missing or unknown in an object. */
function inside(path: string, message: string): FieldFault {
  const required = REQUIRED_FIELD.exec(message)?.[1];
  if (required !== undefined) return { param: below(path, required), message: 'is required' };
  const unknown = UNKNOWN_FIELD.exec(message)?.[1];
  if (unknown !== undefined) return { param: below(path, unknown), message: 'is not a known field' };
  const words = BAD_VALUE.exec(message)?.[1] ?? message;
  return {
    param: stripInput(path),
    message: words.replace(/^Expected non-nullable type "[^"]*" not to be null\.$/, 'is null'),
  };
}

function below(path: string, field: string): string {
  return stripInput(`${path}.${field.split('.').at(-1) ?? field}`);
}

function prefixed(variable: string, fault: FieldFault): FieldFault {
  return variable === 'input' ? fault : { ...fault, param: `${variable}.${fault.param}` };
}

/** Removes the name of the input object, because its fields are named by themselves. */
function stripInput(path: string): string {
  return path.replace(/^input\./, '');
}
