#include "c_api/pblas/grid.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "c_api/private.hpp"
#include "lib/runtime/device_share.hpp"

// ScaLAPACK's library defines these functions of the BLACS. The program decides which ScaLAPACK that is, so this
// library links none.
extern "C" {
[[gnu::weak]] void Cblacs_gridinfo(int context, int* rows, int* cols, int* row, int* col);
[[gnu::weak]] void blacs_get_(const int* context, const int* what, int* value);
}

namespace accublas::pblas {
namespace {

/// The value of `what` for which blacs_get_ returns the MPI communicator of a context, as a handle of Fortran.
constexpr int blacs_communicator = 10;

/// The teams of a context, which its communicator keeps as an attribute.
struct Teams {
  Team team[3];
};

int free_teams(MPI_Comm, int, void* value, void*) {
  const std::unique_ptr<Teams> teams(static_cast<Teams*>(value));
  for (Team& team : teams->team)
    if (team.comm != MPI_COMM_NULL) MPI_Comm_free(&team.comm);
  return MPI_SUCCESS;
}

Teams& teams_of(MPI_Comm comm) {
  static int key = MPI_KEYVAL_INVALID;
  if (key == MPI_KEYVAL_INVALID) MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_teams, &key, nullptr);
  void* value = nullptr;
  int found = 0;
  MPI_Comm_get_attr(comm, key, &value, &found);
  if (!found) {
    value = new Teams;
    MPI_Comm_set_attr(comm, key, value);
  }
  return *static_cast<Teams*>(value);
}

/// Sets the properties that the processes of a team agree on.
void agree(Team& team) {
  bool on_host = false;
  std::int64_t least[2] = {};
  require("PBLAS", accublas_private_pblas_settings(nullptr, &least[0], &on_host));
  least[1] = on_host;
  MPI_Allreduce(MPI_IN_PLACE, least, 2, MPI_INT64_T, MPI_MIN, team.comm);
  team.buffer_bytes = least[0];
  team.on_host = least[1] != 0;
}

/// Gives this process its part of the devices of its host. The processes of the team that see the same devices share
/// them evenly. A process that has a part already, or whose program has chosen, keeps what it has.
void share_devices(const Team& team) {
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(team.comm, MPI_COMM_TYPE_SHARED, team.rank, MPI_INFO_NULL, &host);
  int process = 0, count = 0;
  MPI_Comm_rank(host, &process);
  MPI_Comm_size(host, &count);
  std::uint64_t own = 0;
  require("PBLAS", accublas_private_shared_devices(nullptr, &own));
  std::vector<std::uint64_t> keys(static_cast<std::size_t>(count));
  MPI_Allgather(&own, 1, MPI_UINT64_T, keys.data(), 1, MPI_UINT64_T, host);
  MPI_Comm_free(&host);
  if (own == 0) return;
  const DeviceSharer sharer = device_sharer(keys, process);
  require("PBLAS", accublas_private_take_devices(nullptr, sharer.rank, sharer.ranks));
}

}  // namespace

Grid grid_of(int context) {
  Grid grid{context, -1, -1, -1, -1};
  if (!Cblacs_gridinfo || !blacs_get_) fail("PBLAS", "the program has no BLACS: link ScaLAPACK behind accublas_pblas");
  Cblacs_gridinfo(context, &grid.rows, &grid.cols, &grid.row, &grid.col);
  return grid;
}

const Team& team_of(const Grid& grid, Scope scope) {
  int handle = 0;
  blacs_get_(&grid.context, &blacs_communicator, &handle);
  const MPI_Comm parent = MPI_Comm_f2c(handle);
  Team& team = teams_of(parent).team[static_cast<int>(scope)];
  if (team.comm != MPI_COMM_NULL) return team;

  // The ranks of the context's communicator are the processes of the grid row by row.
  team.first_row = scope == Scope::row ? grid.row : 0;
  team.first_col = scope == Scope::column ? grid.col : 0;
  team.rows = scope == Scope::row ? 1 : grid.rows;
  team.cols = scope == Scope::column ? 1 : grid.cols;
  std::vector<int> ranks(static_cast<std::size_t>(team.size()));
  for (int i = 0; i < team.size(); ++i)
    ranks[static_cast<std::size_t>(i)] = team.row_of(i) * grid.cols + team.col_of(i);
  MPI_Group all, members;
  MPI_Comm_group(parent, &all);
  MPI_Group_incl(all, team.size(), ranks.data(), &members);
  MPI_Comm_create_group(parent, members, static_cast<int>(scope), &team.comm);
  if (team.comm == MPI_COMM_NULL) fail("PBLAS", "MPI made no communicator");
  MPI_Comm_set_errhandler(team.comm, MPI_ERRORS_ARE_FATAL);  // so no status of the communicator's calls is checked
  MPI_Group_free(&members);
  MPI_Group_free(&all);
  MPI_Comm_rank(team.comm, &team.rank);
  if (team.row_of(team.rank) != grid.row || team.col_of(team.rank) != grid.col)
    fail("PBLAS", "the BLACS number the processes of a context in an order that is not row by row");
  agree(team);
  if (scope == Scope::grid) share_devices(team);
  return team;
}

void* real_routine(const char* name) {
  void* const found = dlsym(RTLD_NEXT, name);
  if (!found) fail(name, "ScaLAPACK's own routine was not found behind accublas_pblas");
  return found;
}

void fail(const char* routine, const char* message) {
  int rank = -1, started = 0;
  MPI_Initialized(&started);
  if (started) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::fprintf(stderr, "accublas: %s on rank %d: %s\n", routine, rank, message);
  std::fflush(stderr);
  if (started) MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

void require(const char* routine, accublas_status status) {
  if (status == ACCUBLAS_SUCCESS) return;
  const std::string message = accublas_last_error(nullptr);
  fail(routine, message.empty() ? accublas_status_string(status) : message.c_str());
}

Mode mode_of(const char* name, Routine routine) {
  Mode mode;
  require(name, accublas_private_mode_of(nullptr, routine, &mode));
  return mode;
}

}  // namespace accublas::pblas
