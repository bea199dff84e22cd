/**
 * The addresses and names of cloud metadata services. Such a service gives credentials to any request from inside the
 * cloud. These addresses and names are always blocked, even if the options allow them. The comment of each entry names
 * the page that documents it.
 */

export const METADATA_ADDRESSES: readonly string[] = [
  // AWS EC2: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html
  // Azure: https://learn.microsoft.com/azure/virtual-machines/instance-metadata-service
  // Google: https://cloud.google.com/compute/docs/metadata/querying-metadata
  // Oracle: https://docs.oracle.com/en-us/iaas/Content/Compute/Tasks/gettingmetadata.htm
  // DigitalOcean: https://docs.digitalocean.com/reference/api/metadata/
  // IBM: https://cloud.ibm.com/docs/vpc?topic=vpc-imd-about
  // OpenStack: https://docs.openstack.org/nova/latest/admin/metadata-service.html
  "169.254.169.254",
  // AWS EC2, same page
  "fd00:ec2::254",
  // AWS ECS: https://docs.aws.amazon.com/AmazonECS/latest/developerguide/task-iam-roles.html
  "169.254.170.2",
  // AWS EKS: https://docs.aws.amazon.com/eks/latest/userguide/pod-id-agent-setup.html
  "169.254.170.23",
  "fd00:ec2::23",
  // Google, same page as above
  "fd20:ce::254",
  // Google GKE: https://cloud.google.com/kubernetes-engine/docs/concepts/workload-identity
  "169.254.169.252",
  // Azure's wire server: https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
  "168.63.129.16",
  // Alibaba: https://www.alibabacloud.com/help/en/ecs/user-guide/view-instance-metadata
  "100.100.100.200",
  "fd00:100::100:200",
  // Oracle Classic:
  // https://docs.oracle.com/en/cloud/cloud-at-customer/occ-get-started/retrieve-predefined-instance-metadata.html
  "192.0.0.192",
  // Oracle: https://github.com/oracle/oci-python-sdk, instance_principals_security_token_signer.py
  "fd00:c1::a9fe:a9fe",
  // OpenStack, same page as above
  "fe80::a9fe:a9fe",
  // Akamai: https://techdocs.akamai.com/cloud-computing/docs/metadata-service-api
  "fd00:a9fe:a9fe::1",
  // Tencent: https://www.tencentcloud.com/document/product/213/4934
  "169.254.0.23",
  // Scaleway: https://docs.cloud-init.io/en/latest/reference/datasources/scaleway.html
  "169.254.42.42",
  "fd00:42::42",
  // Volcengine: https://github.com/volcengine/cello, pkg/provider/volcengine/credential
  "100.96.0.96",
  // UCloud: https://docs.ucloud.cn/uhost/guide/metadata/metadata-server
  "100.80.80.80",
];

/**
 * Host names of the same services. They are needed for requests through a proxy, where only the name is known. Direct
 * requests are also blocked by their address.
 */
const METADATA_NAMES: ReadonlySet<string> = new Set([
  // Google: https://cloud.google.com/compute/docs/metadata/querying-metadata
  "metadata.google.internal",
  "metadata.goog",
  // Tencent: https://www.tencentcloud.com/document/product/213/4934
  "metadata.tencentyun.com",
  // IBM: https://cloud.ibm.com/docs/vpc?topic=vpc-imd-about
  "api.metadata.cloud.ibm.com",
]);

/** Whether this is the name of a metadata service. `host` must be normalized by `URL`. */
export function isMetadataName(host: string): boolean {
  return METADATA_NAMES.has(host.replace(/\.$/, ""));
}
