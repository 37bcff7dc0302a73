/** The unchanged response of the API. */
import { CopyButton } from '../../../../ui/button/copy-button.tsx';
import { Dialog } from '../../../../ui/overlays/dialog.tsx';
import styles from '../payment-page.module.css';

export function JsonDialog({ title, value, onClose }: { title: string; value: unknown; onClose: () => void }) {
  const text = JSON.stringify(value, null, 2);
  return (
    <Dialog isOpen isWide onClose={onClose} title={title} actions={<CopyButton text={text} name="JSON" hasWords />}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard. */}
      <pre className={styles.json} tabIndex={0}>
        <code>{text}</code>
      </pre>
    </Dialog>
  );
}
