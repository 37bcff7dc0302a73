/** The dialogs of a payment link's page: changing, activating, deactivating and deleting it. */
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import type {
  LinkDeleteMutationVariables,
  LinkDetailQuery,
  LinkUpdateMutationVariables,
} from '../../../../generated/web/documents.ts';
import { ConfirmDialog, type ConfirmedMutation } from '../resources/confirm-dialog.tsx';
import { LinkForm } from './link-form.tsx';

export type LinkDoing = 'edit' | 'deactivate' | 'activate' | 'delete';

type LinkDialogsProps = {
  link: NonNullable<LinkDetailQuery['paymentLink']>;
  doing: LinkDoing;
  /** The mutations of the page, because the dialogs of a deleted link are unmounted before the deletion is reported. */
  mutations: {
    update: ConfirmedMutation<LinkUpdateMutationVariables>;
    remove: ConfirmedMutation<LinkDeleteMutationVariables>;
  };
  onClose: () => void;
};

export function LinkDialogs({ link, doing, mutations, onClose }: LinkDialogsProps) {
  const { t } = useTranslation();
  const [, go] = useLocation();
  const { update, remove } = mutations;
  const { id } = link;
  const active = (isActive: boolean) => ({ id, input: { isActive } });
  return (
    <>
      {doing === 'edit' && <LinkForm link={link} onClose={onClose} />}
      {doing === 'deactivate' && (
        <ConfirmDialog
          title={t('links.deactivateTitle')}
          about={t('links.deactivateAbout')}
          action={t('links.deactivate')}
          done={t('links.deactivated')}
          isDanger
          mutation={update}
          variables={active(false)}
          onClose={onClose}
        />
      )}
      {doing === 'activate' && (
        <ConfirmDialog
          title={t('links.activateTitle')}
          about={t('links.activateAbout')}
          action={t('links.activate')}
          done={t('links.activated')}
          mutation={update}
          variables={active(true)}
          onClose={onClose}
        />
      )}
      {doing === 'delete' && (
        <ConfirmDialog
          title={t('links.deleteTitle')}
          about={t('links.deleteAbout')}
          action={t('links.deleteAction')}
          done={t('links.deleted')}
          isDanger
          mutation={remove}
          variables={{ id }}
          onClose={onClose}
          onDone={() => go('/links')}
        />
      )}
    </>
  );
}
