import type { Pilotless } from './constructs/pilotless';

/**
 * Takes out what the emulated AWS of the tests (ministack 1.5.33) refuses to deploy: archives of a bus, and alarms on
 * metric math with the dashboard that shows them. All else is deployed there as it is on AWS.
 */
export function leaveOutWhatIsNotEmulated(pilotless: Pilotless): void {
  for (const path of ['Changes/Archive', 'Overview', 'Operations']) {
    const [child = path, parent] = path.split('/').reverse();
    const scope = parent === undefined ? pilotless : pilotless.node.findChild(parent);
    if (!scope.node.tryRemoveChild(child)) throw new Error(`${pilotless.node.path} has no ${path}`);
  }
}
