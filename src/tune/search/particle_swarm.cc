// Particle swarm optimisation: each particle is pulled towards its own best point and the best of
// all, in the coordinates of the values' indices, and moved to a valid point.
#include "tune/search/moves.h"
#include "tune/search/population.h"
#include "tune/search/procedure.h"

namespace burin::tune {
namespace {

constexpr std::size_t kParticles = 16;
constexpr double kInertia = 0.6;
constexpr double kOwnPull = 1.2;
constexpr double kSwarmPull = 1.6;

struct Particle {
  std::vector<double> position, velocity;
  Answer best;
};

Procedure particle_swarm(Search& search) {
  std::vector<Point> points = first_population(search, kParticles);
  const std::vector<double> first_values = co_await search.values_of(points);
  std::vector<Particle> swarm;
  for (std::size_t i = 0; i < points.size(); ++i) {
    Particle particle;
    particle.position.assign(points[i].begin(), points[i].end());
    particle.velocity.assign(points[i].size(), 0);
    particle.best = {.point = points[i], .value = first_values[i]};
    swarm.push_back(std::move(particle));
  }
  while (true) {
    std::size_t leader = 0;
    for (std::size_t i = 1; i < swarm.size(); ++i) {
      if (swarm[i].best.value < swarm[leader].best.value) leader = i;
    }
    const Point swarm_best = swarm[leader].best.point;
    std::vector<Point> moved;
    for (Particle& particle : swarm) {
      for (std::size_t p = 0; p < particle.position.size(); ++p) {
        const double own = static_cast<double>(particle.best.point[p]) - particle.position[p];
        const double common = static_cast<double>(swarm_best[p]) - particle.position[p];
        const double own_pull = kOwnPull * search.random.unit();
        const double swarm_pull = kSwarmPull * search.random.unit();
        particle.velocity[p] =
            kInertia * particle.velocity[p] + own_pull * own + swarm_pull * common;
        particle.position[p] += particle.velocity[p];
      }
      Point point = renewed(
          search, towards(search.space(), particle.best.point, particle.position, search.random));
      particle.position.assign(point.begin(), point.end());
      moved.push_back(std::move(point));
    }
    const std::vector<double> values = co_await search.values_of(moved);
    for (std::size_t i = 0; i < swarm.size(); ++i) {
      if (values[i] < swarm[i].best.value) swarm[i].best = {.point = moved[i], .value = values[i]};
    }
  }
}

}  // namespace

ProposerPtr make_swarm(const Proposing& proposing) {
  return std::make_unique<ProcedureProposer>(proposing, particle_swarm);
}

}  // namespace burin::tune
