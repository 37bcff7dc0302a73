/** Members of a merchant: the type, the query members, and the mutations inviteMember and removeMember. */
import { z } from 'zod';
import { inviteMember } from '../../../auth/members/invite-member.ts';
import { emailSchema, MEMBERS_LIMIT, memberRoles } from '../../../auth/members/member.ts';
import { removeMember } from '../../../auth/members/remove-member.ts';
import { builder, NodeRef } from '../server/builder.ts';
import { idempotencyOf } from '../server/idempotency.ts';
import { carryRules, checked, defineRules } from '../server/input.ts';
import { scopeOf } from '../server/scope-of.ts';
import { byRealTime } from '../server/world.ts';

const MemberRoleEnum = builder.enumType('MemberRole', {
  description: 'What a member may do.',
  values: {
    OWNER: {
      value: 'OWNER',
      description: 'May do everything, including creating apps and inviting and removing members.',
    },
    DEVELOPER: { value: 'DEVELOPER', description: 'May do everything except create apps and manage members.' },
    VIEWER: { value: 'VIEWER', description: 'Has read-only access.' },
  } as const,
});

const MerchantRef = builder.prismaObject('Merchant', {
  description: 'A merchant, which owns apps and receives payments.',
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier (UUIDv7).' }),
    name: t.exposeString('name', { description: 'Name of the merchant.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of creation.' }),
  }),
});

export const MemberRef = builder.prismaObject('Member', {
  description: 'A person who may log in to the dashboard of a merchant.',
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier (UUIDv7).' }),
    merchantId: t.expose('merchantId', { type: 'UUID', description: 'The merchant.' }),
    merchant: t.relation('merchant', { type: MerchantRef, description: 'The merchant.' }),
    email: t.exposeString('email', { description: 'Email address, in lower case.' }),
    role: t.expose('role', { type: MemberRoleEnum, description: 'What the member may do.' }),
    invitedAt: t.expose('invitedAt', { type: 'DateTime', description: 'Time of the invitation.' }),
    joinedAt: t.expose('joinedAt', { type: 'DateTime', nullable: true, description: 'Time of the first login.' }),
    isOperator: t.exposeBoolean('isOperator', {
      description: 'Whether the member may also operate the whole installation: its chains, sender keys and queue.',
    }),
    removedAt: t.expose('removedAt', { type: 'DateTime', nullable: true, description: 'Time of the removal.' }),
  }),
});

builder.queryField('members', (t) =>
  t.prismaField({
    type: [MemberRef],
    description: `The merchant's members, including invited ones but not removed ones, oldest first; at most ${MEMBERS_LIMIT}.`,
    authScopes: { member: true },
    complexity: { field: 20, multiplier: 20 },
    resolve: (query, _root, _args, context) =>
      context.database.member.findMany({
        ...query,
        where: { removedAt: null },
        orderBy: { id: 'asc' },
        take: MEMBERS_LIMIT,
      }),
  }),
);

const inviteRules = defineRules({ schema: z.object({ email: emailSchema, role: z.enum(memberRoles) }) });

const InviteMemberInput = builder.inputType('InviteMemberInput', {
  description: 'Input for inviting a person.',
  extensions: carryRules(inviteRules),
  fields: (t) => ({
    email: t.string({ required: true, description: 'Email address, at most 254 characters.' }),
    role: t.field({ type: MemberRoleEnum, required: true, description: 'What the member may do.' }),
  }),
});

builder.mutationField('inviteMember', (t) =>
  t.field({
    type: MemberRef,
    description: 'Invites a person by email, changes the role of a member, or restores a removed member. Owners only.',
    authScopes: { owner: true },
    args: { input: t.arg({ type: InviteMemberInput, required: true, description: 'The member.' }) },
    resolve: async (_root, { input }, context) => {
      const { email, role } = checked(context, inviteRules, input);
      const { merchantId } = await scopeOf(context);
      const call = { scopeId: merchantId, operation: 'inviteMember', parameters: { email, role } };
      const idempotency = idempotencyOf(context, call);
      return inviteMember(byRealTime(context.world), { merchantId, email, role, idempotency });
    },
  }),
);

builder.mutationField('removeMember', (t) =>
  t.field({
    type: MemberRef,
    description: 'Removes a member and ends their logins, as `logout` does. Owners only.',
    authScopes: { owner: true },
    args: { id: t.arg.id({ required: true, description: 'The member.' }) },
    resolve: async (_root, { id }, context) => {
      const { merchantId } = await scopeOf(context);
      return removeMember(byRealTime(context.world), { merchantId, id });
    },
  }),
);
