/** The dashboard's login: the mutations requestLogin, verifyLogin and logout. */
import { z } from 'zod';
import { type Login, logIn } from '../../../auth/members/log-in.ts';
import { logOut } from '../../../auth/members/log-out.ts';
import { requestOneTimePassword } from '../../../auth/one-time-password/request-one-time-password.ts';
import { codeSchema, OtpRequestRef, otpRules } from '../card/one-time-password.ts';
import { builder } from '../server/builder.ts';
import { carryRules, checked, defineRules } from '../server/input.ts';
import { refusal } from '../server/scope-of.ts';
import { byRealTime } from '../server/world.ts';
import { MemberRef } from './member.ts';

const RequestLoginInput = builder.inputType('RequestLoginInput', {
  description: 'Input for requesting a login to the dashboard.',
  extensions: carryRules(otpRules),
  fields: (t) => ({
    email: t.string({ required: true, description: 'The invited email address, at most 254 characters.' }),
  }),
});

const verifyRules = defineRules({
  schema: z.object({ requestId: z.guid(), code: codeSchema, merchantId: z.guid().nullish() }),
});

const VerifyLoginInput = builder.inputType('VerifyLoginInput', {
  description: 'A one-time password that was received by email.',
  extensions: carryRules(verifyRules),
  fields: (t) => ({
    requestId: t.field({ type: 'UUID', required: true, description: 'Of requestLogin.' }),
    code: t.string({ required: true, description: '6 digits.' }),
    merchantId: t.field({ type: 'UUID', description: 'Required for a member of several merchants.' }),
  }),
});

const MemberLoginRef = builder.objectRef<Login>('MemberLogin').implement({
  description: 'A dashboard token.',
  fields: (t) => ({
    accessToken: t.string({
      description: 'A JWT of the audience `dashboard`, for the header `Authorization: Bearer`.',
      resolve: ({ issued }) => issued.token,
    }),
    tokenType: t.string({ description: 'Bearer.', resolve: () => 'Bearer' }),
    expiresIn: t.int({ description: 'Seconds.', resolve: ({ issued }) => issued.expiresInSeconds }),
    member: t.field({ type: MemberRef, description: 'The user who logged in.', resolve: ({ member }) => member }),
  }),
});

const LogoutInput = builder.inputType('LogoutInput', {
  description: 'Which logins end.',
  fields: (t) => ({
    everywhere: t.boolean({ description: 'All of the member, not this one only.' }),
  }),
});

builder.mutationField('requestLogin', (t) =>
  t.field({
    type: OtpRequestRef,
    description: 'Mails a one-time password to a member; the answer is the same for everybody else.',
    authScopes: { public: true },
    args: { input: t.arg({ type: RequestLoginInput, required: true, description: 'The member.' }) },
    resolve: (_root, { input }, context) => {
      const { email } = checked(context, otpRules, input);
      return requestOneTimePassword(byRealTime(context.world), {
        purpose: 'DASHBOARD',
        email,
        networkAddress: context.address,
      });
    },
  }),
);

builder.mutationField('verifyLogin', (t) =>
  t.field({
    type: MemberLoginRef,
    description:
      'Logs a member in. AUTHENTICATION_ERROR for a code that is not good; CONFLICT where merchantId is needed, the code unspent.',
    authScopes: { public: true },
    args: { input: t.arg({ type: VerifyLoginInput, required: true, description: 'The code.' }) },
    resolve: (_root, { input }, context) => logIn(byRealTime(context.world), checked(context, verifyRules, input)),
  }),
);

builder.mutationField('logout', (t) =>
  t.boolean({
    description:
      'Ends the login: for writes at once, for reads in other processes within a second, and what it holds open within two seconds. True.',
    authScopes: { member: true },
    args: { input: t.arg({ type: LogoutInput, description: 'Which logins end.' }) },
    resolve: async (_root, { input }, context) => {
      const { principal } = context;
      if (principal.kind !== 'member') throw refusal(principal);
      const { memberId, sessionId } = principal;
      await logOut(byRealTime(context.world), { memberId, sessionId, everywhere: input?.everywhere ?? false });
      return true;
    },
  }),
);
