# Sets gpu_capabilities to the compute capabilities of the GPUs in this machine, e.g. "9.0"; empty if there is none.
# Not cached: a build folder may be configured without a GPU and used with one later, so that a device node that appears
# or disappears triggers a new configuration.
file(GLOB gpu_nodes CONFIGURE_DEPENDS /dev/nvidia[0-9]* /dev/dxg)
execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
  OUTPUT_VARIABLE gpu_capabilities ERROR_QUIET RESULT_VARIABLE result)
if(result EQUAL 0)
  string(REGEX MATCHALL "[0-9]+\\.[0-9]+" gpu_capabilities "${gpu_capabilities}")
  list(REMOVE_DUPLICATES gpu_capabilities)
else()
  set(gpu_capabilities "")
endif()
