/**
 * Input objects. GraphQL checks names and types, and rules check limits. A type refers to its rules, so that the response to a request with
 * faults of both kinds lists all of them.
 */
import type { GraphQLInputObjectType } from 'graphql';
import { z } from 'zod';
import { type FieldFault, invalid } from '../../../errors.ts';
import { inputFaults } from '../../../platform/parse-input.ts';
import type { GraphqlContext } from './context.ts';

/** `schema` checks limits, `also` what depends on the installation or the caller, such as an unknown chain id. */
export type InputRules<Output> = {
  schema: z.ZodType<Output>;
  also?: (input: unknown, context: GraphqlContext) => FieldFault[];
};

/** A field of all inputs for resources of an app. `scopeOf` checks whether the app belongs to the caller. */
export const appIdShape = { appId: z.string().nullish() };
/** The description of `appId` where it has no effect. */
export const OWN_APP = 'An app that the credential covers. AUTHORIZATION_ERROR for any other app.';

/** Defines a set of rules. It is attached to its input type by `extensions: carryRules(rules)`. */
export function defineRules<Output>(rules: InputRules<Output>): InputRules<Output> {
  return rules;
}

export function carryRules(rules: InputRules<unknown>): { rules: InputRules<unknown> } {
  return { rules };
}

/** Returns the rules of an input type. */
export function rulesOf(type: GraphQLInputObjectType): InputRules<unknown> | undefined {
  const rules = type.extensions.rules;
  return isRules(rules) ? rules : undefined;
}

/** Returns the valid input, in which absent fields stay absent. Throws a VALIDATION_ERROR that names all invalid fields. */
export function checked<Output>(context: GraphqlContext, rules: InputRules<Output>, input: unknown): Output {
  const parsed = rules.schema.safeParse(input);
  const faults = [...inputFaults(parsed.error), ...(rules.also?.(input, context) ?? [])];
  if (!parsed.success || faults.length > 0) throw invalid(faults);
  return parsed.data;
}

/** Returns all faults of a raw input by its rules. */
export function faultsOf(context: GraphqlContext, rules: InputRules<unknown>, input: unknown): FieldFault[] {
  return [...inputFaults(rules.schema.safeParse(input).error), ...(rules.also?.(input, context) ?? [])];
}

function isRules(value: unknown): value is InputRules<unknown> {
  return typeof value === 'object' && value !== null && 'schema' in value;
}
