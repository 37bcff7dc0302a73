/** The mutation createApp. */
import { z } from 'zod';
import { appSettingsSchema } from '../../../auth/app-settings.ts';
import { APPS_LIMIT, createApp } from '../../../auth/create-app.ts';
import { builder } from '../server/builder.ts';
import { idempotencyOf } from '../server/idempotency.ts';
import { carryRules, checked, defineRules } from '../server/input.ts';
import { scopeOf } from '../server/scope-of.ts';
import { AppModeEnum, AppRef } from './app.ts';

const rules = defineRules({
  schema: z.object({ name: appSettingsSchema.shape.name.unwrap(), mode: z.enum(['TEST', 'LIVE']) }),
});

const CreateAppInput = builder.inputType('CreateAppInput', {
  description: 'Input for creating an app.',
  extensions: carryRules(rules),
  fields: (t) => ({
    name: t.string({ required: true, description: '1 to 255 characters.' }),
    mode: t.field({
      type: AppModeEnum,
      required: true,
      description: 'Whether the app is in test or live mode. Cannot be changed.',
    }),
  }),
});

builder.mutationField('createApp', (t) =>
  t.field({
    type: AppRef,
    description: `Creates an app with the default settings. Owners only. CONFLICT if the merchant already has ${APPS_LIMIT} apps.`,
    authScopes: { owner: true },
    args: { input: t.arg({ type: CreateAppInput, required: true, description: 'The app to create.' }) },
    resolve: async (_root, args, context) => {
      const input = checked(context, rules, args.input);
      const { merchantId } = await scopeOf(context);
      const call = { scopeId: merchantId, operation: 'createApp', parameters: input };
      return createApp(context.world, { merchantId, ...input, idempotency: idempotencyOf(context, call) });
    },
  }),
);
