-- differs from 2.6: fields of 3.x
local show = require('show')
show('before', box.info.status, box.info.id, type(box.info.version))
box.cfg{log_level = 0, instance_name = 'one', replicaset_name = 'set', cluster_name = 'all',
    instance_uuid = '11111111-2222-4333-8444-555555555555'}

show('status', box.info.status, box.info.id, box.info.ro, box.info.ro_reason)
show('names', box.info.name, box.info.replicaset.name, box.info.cluster.name, box.info.uuid)
show('election', box.info.election)
show('synchro', box.info.synchro)
show('config', box.info.config)
show('hostname', type(box.info.hostname), #box.info.hostname > 0)
show('schema_version', type(box.info.schema_version))
box.cfg{read_only = true}
show('read-only', box.info.ro, box.info.ro_reason)
show('replication_anon', box.info.replication_anon())
show.fails('write', function() box.info.status = 1 end)
local before = box.info.schema_version
box.cfg{read_only = false}
box.schema.space.create('s')
show('grows', box.info.schema_version > before)

os.exit(0)
