/** A dialog. It traps the focus, is closed by Escape, and makes the page behind it inert. */
import * as Radix from '@radix-ui/react-dialog';
import { type ReactNode, type RefObject, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../button/button.tsx';
import { classNames } from '../class-names.ts';
import styles from './overlays.module.css';

type DialogProps = {
  isOpen: boolean;
  /** Called to close it: by Escape, a click outside, or the close button. */
  onClose: () => void;
  title: ReactNode;
  about?: ReactNode;
  children?: ReactNode;
  /** The buttons at the bottom, with the primary one last. */
  actions?: ReactNode;
  isWide?: boolean;
  /** At the left edge, for navigation. */
  isDrawer?: boolean;
  /** Receives the focus afterwards if the element that opened it no longer exists; requires a tabIndex. */
  place?: RefObject<HTMLElement | null>;
};

/** Uses its own backdrop, because Radix's would add a style element to prevent scrolling, which the page's policy forbids. */
export function Dialog({ isOpen, onClose, title, about, children, actions, isWide, isDrawer, place }: DialogProps) {
  const { t } = useTranslation();
  const opener = useRef<HTMLElement>(null);
  // Radix returns the focus to its own trigger component, which these dialogs do not use.
  const keepOpener = () => {
    opener.current = document.activeElement instanceof HTMLElement ? document.activeElement : null;
  };
  const giveBack = (event: Event) => {
    event.preventDefault();
    (opener.current?.isConnected ? opener.current : place?.current)?.focus();
  };
  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <div className={styles.scrim} aria-hidden="true" />
        <Radix.Content
          className={isDrawer ? styles.drawer : classNames(styles.dialog, isWide && styles.wide)}
          onOpenAutoFocus={keepOpener}
          onCloseAutoFocus={giveBack}
          {...(about ? {} : { 'aria-describedby': undefined })}
        >
          <div className={styles.head}>
            <Radix.Title>{title}</Radix.Title>
            <Button
              look="bare"
              size="small"
              icon="cross"
              className={styles.close}
              onPress={onClose}
              aria-label={t('everywhere.close')}
            />
          </div>
          {about && <Radix.Description className={styles.about}>{about}</Radix.Description>}
          {children}
          {actions && <div className={styles.actions}>{actions}</div>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
