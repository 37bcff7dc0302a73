/** The members of the merchant and their roles. Owners can invite, change and remove members. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  DashboardViewerDocument,
  SettingsInviteDocument,
  SettingsMembersDocument,
  type SettingsMembersQuery,
  SettingsRemoveMemberDocument,
} from '../../../../generated/web/documents.ts';
import { Button } from '../../ui/button/button.tsx';
import { Form } from '../../ui/fields/form/form.tsx';
import { Select } from '../../ui/fields/select.tsx';
import { TextField } from '../../ui/fields/text-field.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { useToasts } from '../../ui/overlays/toasts.tsx';
import { ErrorNote } from '../../ui/state/error-note.tsx';
import { Status } from '../../ui/state/status.tsx';
import { Time } from '../../ui/state/time.tsx';
import { type Column, Table } from '../../ui/tables/table.tsx';
import { ConfirmDialog } from '../resources/confirm-dialog.tsx';
import { useApiMutation } from '../session/use-api-mutation.ts';
import { useAsk } from '../session/use-ask.ts';
import { type Role, useDashboard } from '../session/use-dashboard.ts';
import { Panel } from '../shell/panel.tsx';
import styles from './settings.module.css';

type Member = SettingsMembersQuery['members'][number];
type RoleChange = { member: Member; role: Role };
const roles = ['OWNER', 'DEVELOPER', 'VIEWER'] as const;

export function MembersPanel() {
  const { t } = useTranslation();
  const { isOwner, member: self } = useDashboard();
  const { data, error, isPending, refetch } = useAsk(SettingsMembersDocument, {});
  const [leaving, setLeaving] = useState<Member>();
  const [changing, setChanging] = useState<RoleChange>();
  const roleWords = (role: Role) => t(`shell.role.${role}`);
  const columns: Column<Member>[] = [
    {
      key: 'email',
      head: t('settings.members.email'),
      cell: ({ id, email }) => (
        <span className={styles.email}>
          {email} {id === self.id && <span className={styles.self}>{t('settings.members.you')}</span>}
        </span>
      ),
    },
    {
      key: 'role',
      head: t('settings.members.role'),
      cell: (member) =>
        isOwner ? (
          <span className={styles.role}>
            <Select
              isLabelHidden
              label={t('settings.members.roleOf', { email: member.email })}
              value={member.role}
              onChange={(role) => setChanging({ member, role })}
              options={roles.map((role) => ({ value: role, words: roleWords(role) }))}
            />
          </span>
        ) : (
          roleWords(member.role)
        ),
    },
    {
      key: 'state',
      isCorner: true,
      head: t('settings.members.state'),
      isWide: true,
      cell: ({ joinedAt, invitedAt }) =>
        joinedAt ? (
          <Status status="ACTIVE" />
        ) : (
          <Status status="PENDING">
            {t('settings.members.invited')} <Time at={invitedAt} />
          </Status>
        ),
    },
    ...(isOwner
      ? [
          {
            key: 'remove',
            head: <span className="visually-hidden">{t('settings.members.remove')}</span>,
            align: 'end' as const,
            cell: (member: Member) => (
              <Button
                look="bare"
                size="small"
                icon="cross"
                onPress={() => setLeaving(member)}
                aria-label={t('settings.members.removeOf', { email: member.email })}
              />
            ),
          },
        ]
      : []),
  ];
  return (
    <Panel title={t('settings.parts.members')} about={t('settings.members.about')}>
      {isOwner && <InviteForm />}
      <ErrorNote error={error} retry={refetch} />
      <Table
        caption={t('settings.parts.members')}
        columns={columns}
        rows={data?.members ?? []}
        rowKey={({ id }) => id}
        isLoading={isPending}
      />
      {changing && <RoleDialog {...changing} onClose={() => setChanging(undefined)} />}
      <RemoveDialog member={leaving} close={() => setLeaving(undefined)} />
    </Panel>
  );
}

function InviteForm() {
  const { t } = useTranslation();
  const showToast = useToasts();
  const invite = useApiMutation(SettingsInviteDocument, { changes: [SettingsMembersDocument] });
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('DEVELOPER');
  const send = () => {
    const invited = email.trim();
    invite.mutate(
      { email: invited, role },
      {
        onSuccess: () => {
          setEmail('');
          showToast({ title: t('settings.members.mailed', { email: invited }) });
        },
      },
    );
  };
  return (
    <Form onSend={send} isBusy={invite.isPending} error={invite.error} className={styles.invite}>
      <TextField
        label={t('settings.members.inviteWhom')}
        type="email"
        autoComplete="off"
        value={email}
        onChange={(event) => setEmail(event.target.value)}
        name="email"
      />
      <Select
        label={t('settings.members.role')}
        value={role}
        onChange={setRole}
        options={roles.map((one) => ({ value: one, words: t(`shell.role.${one}`) }))}
      />
      <Button type="submit" icon="plus" isBusy={invite.isPending} isDisabled={!email.includes('@')}>
        {t('settings.members.invite')}
      </Button>
    </Form>
  );
}

/** Asks first, because arrow keys on a closed select already choose another role. */
function RoleDialog({ member, role, onClose }: RoleChange & { onClose: () => void }) {
  const { t } = useTranslation();
  const { member: self } = useDashboard();
  const { email } = member;
  const change = useApiMutation(SettingsInviteDocument, {
    changes: [SettingsMembersDocument, DashboardViewerDocument],
  });
  const about = t('settings.members.changeAbout', { role: t(`shell.role.${role}`) });
  return (
    <ConfirmDialog
      title={t('settings.members.changeTitle', { email })}
      about={member.id === self.id ? `${about} ${t('settings.members.changeSelf')}` : about}
      action={t('settings.members.change')}
      done={t('settings.members.changed', { email })}
      mutation={change}
      variables={{ email, role }}
      onClose={onClose}
    />
  );
}

function RemoveDialog({ member, close }: { member: Member | undefined; close: () => void }) {
  const { t } = useTranslation();
  const showToast = useToasts();
  const remove = useApiMutation(SettingsRemoveMemberDocument, { changes: [SettingsMembersDocument] });
  const send = () => {
    if (!member) return;
    remove.mutate(
      { id: member.id },
      {
        onSuccess: () => {
          showToast({ title: t('settings.members.removed', { email: member.email }) });
          close();
        },
      },
    );
  };
  return (
    <Dialog
      isOpen={member !== undefined}
      onClose={close}
      title={t('settings.members.removeOf', { email: member?.email ?? '' })}
      about={t('settings.members.removeAbout')}
      actions={
        <>
          <Button onPress={close}>{t('everywhere.cancel')}</Button>
          <Button look="danger" isBusy={remove.isPending} onPress={send}>
            {t('settings.members.remove')}
          </Button>
        </>
      }
    >
      <ErrorNote error={remove.error} />
    </Dialog>
  );
}
