/** Every name that the manifests use; one that is misspelt is not among them. */
const known = new Set(
  `apiVersion kind metadata name labels app data spec accessModes resources requests storage cpu memory limits replicas
  strategy type selector matchLabels template serviceName automountServiceAccountToken terminationGracePeriodSeconds
  securityContext runAsNonRoot runAsUser runAsGroup fsGroup fsGroupChangePolicy seccompProfile containers
  initContainers image imagePullPolicy restartPolicy command allowPrivilegeEscalation readOnlyRootFilesystem
  capabilities drop env value startupProbe livenessProbe exec initialDelaySeconds periodSeconds timeoutSeconds
  failureThreshold volumeMounts mountPath readOnly subPath volumes configMap secret secretName defaultMode
  persistentVolumeClaim claimName volumeClaimTemplates ports port containerPort readinessProbe tcpSocket valueFrom
  fieldRef fieldPath`.split(/\s+/),
);

/** The names in manifests that Kubernetes does not know, as far as ours use it. */
export function unknownNames(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, below]) => [
    ...(known.has(key) || Array.isArray(value) || key.endsWith('.yaml') ? [] : [key]),
    ...unknownNames(below),
  ]);
}
