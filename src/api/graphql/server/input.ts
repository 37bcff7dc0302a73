/**
 * Input objects: GraphQL checks names and types, the rules beside it check limits. A type carries its rules, so that a
 * request with faults of both kinds is answered with all of them at once.
 */
import type { GraphQLInputObjectType } from 'graphql';
import { z } from 'zod';
import { type FieldFault, invalid } from '../../../errors.ts';
import { inputFaults } from '../../../platform/parse-input.ts';
import type { GraphqlContext } from './context.ts';

/** `schema` for limits, `also` for what only the world or the caller can tell, such as an unknown chain id. */
export type InputRules<Output> = {
  schema: z.ZodType<Output>;
  also?: (input: unknown, context: GraphqlContext) => FieldFault[];
};

/** What any input of an app's resources takes beside its own fields; `scopeOf` judges whether the app is the caller's. */
export const appIdShape = { appId: z.string().nullish() };
/** The description of `appId` where it changes nothing. */
export const OWN_APP = 'May name the app of the credential, or one of its merchant; any other app is refused.';

/** Names a rule set; put it on its input type by `extensions: carryRules(rules)`. */
export function defineRules<Output>(rules: InputRules<Output>): InputRules<Output> {
  return rules;
}

export function carryRules(rules: InputRules<unknown>): { rules: InputRules<unknown> } {
  return { rules };
}

/** The rules that an input type carries. */
export function rulesOf(type: GraphQLInputObjectType): InputRules<unknown> | undefined {
  const rules = type.extensions.rules;
  return isRules(rules) ? rules : undefined;
}

/** The input within its limits, an absent field still absent; VALIDATION_ERROR names every bad field. */
export function checked<Output>(context: GraphqlContext, rules: InputRules<Output>, input: unknown): Output {
  const parsed = rules.schema.safeParse(input);
  const faults = [...inputFaults(parsed.error), ...(rules.also?.(input, context) ?? [])];
  if (!parsed.success || faults.length > 0) throw invalid(faults);
  return parsed.data;
}

/** Every fault the rules find in a raw input. */
export function faultsOf(context: GraphqlContext, rules: InputRules<unknown>, input: unknown): FieldFault[] {
  return [...inputFaults(rules.schema.safeParse(input).error), ...(rules.also?.(input, context) ?? [])];
}

function isRules(value: unknown): value is InputRules<unknown> {
  return typeof value === 'object' && value !== null && 'schema' in value;
}
