/** The dialogs of a plan's page: changing and archiving the plan, and adding, changing, archiving and deleting its prices. */
import { useTranslation } from 'react-i18next';
import type {
  PlanPageQuery,
  PlanPriceDeleteMutationVariables,
  PlanPriceUpdateMutationVariables,
  PlanUpdateMutationVariables,
  PriceFactsFragment,
} from '../../../../generated/web/documents.ts';
import { ConfirmDialog, type ConfirmedMutation } from '../resources/confirm-dialog.tsx';
import { PlanForm } from './plan-form.tsx';
import { PriceForm } from './price-form.tsx';

export type PlanDoing =
  | { what: 'edit' | 'archive' | 'addPrice' }
  | { what: 'editPrice' | 'deletePrice' | 'archivePrice'; price: PriceFactsFragment };

type PlanDialogsProps = {
  plan: NonNullable<PlanPageQuery['productPlan']>;
  doing: PlanDoing;
  /** The mutations of the page, which reports their errors while no dialog is open. */
  mutations: {
    update: ConfirmedMutation<PlanUpdateMutationVariables>;
    updatePrice: ConfirmedMutation<PlanPriceUpdateMutationVariables>;
    deletePrice: ConfirmedMutation<PlanPriceDeleteMutationVariables>;
  };
  onClose: () => void;
};

export function PlanDialogs({ plan, doing, mutations, onClose }: PlanDialogsProps) {
  const { t } = useTranslation();
  const { update, updatePrice, deletePrice } = mutations;
  const { id } = plan;
  return (
    <>
      {doing.what === 'edit' && <PlanForm plan={plan} onClose={onClose} />}
      {doing.what === 'addPrice' && <PriceForm plan={plan} onClose={onClose} />}
      {doing.what === 'editPrice' && <PriceForm plan={plan} price={doing.price} onClose={onClose} />}
      {doing.what === 'archive' && (
        <ConfirmDialog
          title={t('catalog.plan.archiveTitle', { name: plan.name })}
          about={t('catalog.plan.archiveAbout')}
          action={t('catalog.plan.archiveAction')}
          done={t('catalog.plan.archivedToast')}
          isDanger
          mutation={update}
          variables={{ id, input: { isActive: false } }}
          onClose={onClose}
        />
      )}
      {doing.what === 'archivePrice' && (
        <ConfirmDialog
          title={t('catalog.price.archiveTitle')}
          about={t('catalog.price.archiveAbout')}
          action={t('catalog.price.archiveAction')}
          done={t('catalog.price.archivedToast')}
          isDanger
          mutation={updatePrice}
          variables={{ productPlanId: id, priceId: doing.price.id, input: { isActive: false } }}
          onClose={onClose}
        />
      )}
      {doing.what === 'deletePrice' && (
        <ConfirmDialog
          title={t('catalog.price.deleteTitle')}
          about={t('catalog.price.deleteAbout')}
          action={t('catalog.price.deleteAction')}
          done={t('catalog.price.deletedToast')}
          isDanger
          mutation={deletePrice}
          variables={{ productPlanId: id, priceId: doing.price.id }}
          onClose={onClose}
        />
      )}
    </>
  );
}
